internal import FoundationEssentials
internal import Yams

/// A piece of a clouds.yaml: YAML without tags.
enum CloudsFileNode: Decodable, Sendable {
    case text(String)
    case list([CloudsFileNode])
    case entries([String: CloudsFileNode])
    case nothing

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .nothing
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? decoder.unkeyedContainer() {
            var list = list
            var nodes: [CloudsFileNode] = []
            while !list.isAtEnd { nodes.append(try list.decode(CloudsFileNode.self)) }
            self = .list(nodes)
        } else {
            self = .entries(try value.decode([String: CloudsFileNode].self))
        }
    }

    /// - Throws: a failure that names the file, and the line where that is known, and quotes nothing of it.
    static func read(_ path: String) throws(OpenStackFailure) -> CloudsFileNode {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .misconfigured("\(path) cannot be read; check its permissions")
        }
        do {
            let node = try YAMLDecoder().decode(CloudsFileNode.self, from: String(decoding: data, as: UTF8.self))
            if case .entries = node { return node }
        } catch {
            let line = line(of: error).map { ":\($0)" } ?? ""
            throw .misconfigured("\(path)\(line) is no YAML that can be read; correct it")
        }
        throw .misconfigured("\(path) is no list of “key: value” lines; correct it")
    }

    private static func line(of error: any Error) -> Int? {
        guard case .dataCorrupted(let context)? = error as? DecodingError,
            let error = context.underlyingError as? YamlError
        else { return nil }
        return switch error {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(_, let context): context.mark.line
        default: nil
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var entries: [String: CloudsFileNode]? { if case .entries(let entries) = self { entries } else { nil } }
    var first: CloudsFileNode? { if case .list(let list) = self { list.first } else { nil } }

    subscript(key: String) -> CloudsFileNode? { entries?[key] }

    /// Puts another's values before these, and goes into what both have.
    mutating func merge(_ other: CloudsFileNode) {
        guard case .entries(var entries) = self, case .entries(let others) = other else {
            self = other
            return
        }
        for (key, value) in others {
            if var entry = entries[key] {
                entry.merge(value)
                entries[key] = entry
            } else {
                entries[key] = value
            }
        }
        self = .entries(entries)
    }
}
