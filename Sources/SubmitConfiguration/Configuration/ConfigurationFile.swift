internal import Foundation
public import Submit
public import SystemPackage
internal import Yams

/// What `config.yaml` says.
///
/// It is checked as far as that can be done without knowing the types of destinations: their settings are those of
/// ``DestinationCatalog``.
public struct ConfigurationFile: Sendable {
    /// A text as written, and where.
    public struct Value: Sendable, Hashable {
        /// The text, without quotes.
        public var text: String
        /// Its line, from 1.
        public var line: Int
    }

    /// A destination as written, with the line of each key for complaints.
    public struct Entry: Sendable, Hashable {
        /// The name of its type; the destination's own where none is written.
        public var type: Value
        /// No type is written.
        package var lacksType = false
        /// The line of its name.
        public var line: Int
        /// Its settings by key.
        public var values: [String: Value]
        /// What any destination may have, whatever its type: `bandwidth`, `quiet` and `rendition`. A `rendition` that
        /// is written as a list of keys stands here as one text, such as `strip=gps keep=date`.
        public var general: [String: Value] = [:]
    }

    /// Destinations used where none is named.
    public private(set) var defaults: [Value] = []
    /// The destinations by name.
    public internal(set) var destinations: [String: Entry] = [:]
    /// `sources`: catalogues of others that can be asked, by name; see `LoopBackCatalogue.settings`.
    public private(set) var sources: [String: Entry] = [:]
    /// `network`: proxy, ca_file, connect_timeout, stall_timeout.
    public private(set) var network: [String: Value] = [:]
    /// What `submit watch` is to look after: the keys of each rule with what they say, and its line.
    public struct Rule: Sendable, Hashable {
        /// The line it begins at.
        public var line: Int
        /// Lists have several values, all else one.
        public var values: [String: [Value]]

        static let lists: Set<String> = ["to", "include", "exclude", "kind"]
        static let keys = [
            "folder", "card", "to", "album", "include", "exclude", "kind", "min_size", "max_size", "newer",
            "any_file", "hidden", "remove_after", "remove_how", "settle", "poll", "free", "priority", "rendition",
        ]
    }

    /// `watch`.
    public private(set) var watch: [Rule] = []
    /// `news`: who is told what happens. `of` has several values, all else one.
    public private(set) var news: [String: [Value]] = [:]
    /// `bandwidth`: of all destinations together.
    public private(set) var bandwidth: Value?
    /// `publish_limit`: how many photos a command publishes without being confirmed.
    public private(set) var publishLimit: Value?
    /// `creator`: who took the photos, as it is to stand in them.
    public private(set) var creator: Value?
    /// `owner`: whose pictures are in the catalogue.
    public private(set) var owner: Value?
    /// `copyright`: what is to stand in photos as such.
    public private(set) var copyright: Value?
    /// `secrets`: where secrets are kept.
    public private(set) var secrets: Value?
    /// `passphrase_command`: the program that prints what opens encrypted secrets.
    public private(set) var passphraseCommand: Value?
    /// `environment`: the names of variables that programs are given besides what all are, by the program's file name.
    public private(set) var environment: [String: [Value]] = [:]
    /// The file.
    public let path: FilePath

    private static let newsKeys = ["desktop", "webhook", "webhook_secret_command", "program", "of"]
    package static let generalKeys = ["bandwidth", "quiet", "rendition"]
    private static let networkKeys = ["proxy", "ca_file", "connect_timeout", "stall_timeout"]

    /// Reads the file; an absent one says nothing.
    ///
    /// - Throws: a failure to give up with, `configuration`: one sentence with file, line and the key that was probably
    ///   meant; or that others than root and this user could have written it.
    public static func read(_ path: FilePath) throws(SubmitFailure) -> ConfigurationFile {
        let bytes: [UInt8]?
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            if let complaint = FileTrust.complaint(about: path, opened: file) {
                // Its programs would run as us, and our photos go where it says.
                throw SubmitFailure(.giveUp, code: "configuration", message: "\(path) is not obeyed: \(complaint).")
            }
            bytes = try WholeFile.bytes(of: file, most: most)
        } catch Errno.noSuchFileOrDirectory {
            return ConfigurationFile(path: path)
        } catch let failure as SubmitFailure {
            throw failure
        } catch {
            throw unreadable(path)
        }
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else { throw unreadable(path) }
        return try ConfigurationFile(text, path: path)
    }

    /// Far more than people write.
    private static let most = 16 << 20

    private static func unreadable(_ path: FilePath) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "configuration",
            message: "\(path) cannot be read: check its permissions and that it is UTF-8.")
    }

    private init(path: FilePath) {
        self.path = path
    }

    /// Reads a text.
    ///
    /// - Parameter path: the file it is of, for complaints.
    /// - Throws: as ``read(_:)``.
    public init(_ text: String, path: FilePath) throws(SubmitFailure) {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Self.syntax(error, path)
        }
        guard let root, root != Node("", Tag(.null)) else { return }
        if root.scalar?.string.isEmpty == true { return }
        for (key, value) in try mapping(root, "the file") {
            switch key.text {
            case "default": defaults = try names(value, "“default” must be a list of destinations.")
            case "destinations":
                for (name, entry) in try mapping(value, "“destinations”") {
                    destinations[name.text] = try self.entry(name, entry)
                }
            case "sources":
                for (name, entry) in try mapping(value, "“sources”") { sources[name.text] = try source(name, entry) }
            case "network":
                for (name, value) in try mapping(value, "“network”") {
                    guard Self.networkKeys.contains(name.text) else {
                        throw unknown(name, among: Self.networkKeys, of: "“network”")
                    }
                    network[name.text] = try scalar(value, name)
                }
            case "environment":
                for (program, value) in try mapping(value, "“environment”") {
                    environment[program.text] = try names(
                        value, "“\(program.text)” must be a list of names of environment variables.")
                }
            case "news":
                for (name, value) in try mapping(value, "“news”") {
                    guard Self.newsKeys.contains(name.text) else {
                        throw unknown(name, among: Self.newsKeys, of: "“news”")
                    }
                    news[name.text] =
                        name.text == "of" ? try names(value, "“of” must be a list.") : [try scalar(value, name)]
                }
            case "watch": watch = try rules(value)
            case "bandwidth": bandwidth = try scalar(value, key)
            case "publish_limit": publishLimit = try scalar(value, key)
            case "creator": creator = try scalar(value, key)
            case "copyright": copyright = try scalar(value, key)
            case "owner": owner = try scalar(value, key)
            case "secrets": secrets = try scalar(value, key)
            case "passphrase_command": passphraseCommand = try scalar(value, key)
            default:
                throw unknown(
                    key,
                    among: [
                        "bandwidth", "copyright", "creator", "default", "destinations", "environment", "network",
                        "news", "owner", "publish_limit",
                        "secrets", "sources", "passphrase_command", "watch",
                    ],
                    of: "the file")
            }
        }
    }

    /// The same, with what stands there as sources in the destinations' place.
    var ofSources: ConfigurationFile {
        var file = self
        file.destinations = sources
        return file
    }

    /// All that it says but the destinations, as it is written.
    var general: [[String: [String]]] {
        func texts(_ values: [String: [Value]]) -> [String: [String]] { values.mapValues { $0.map(\.text) } }
        let single = [
            "bandwidth": bandwidth, "creator": creator, "copyright": copyright, "owner": owner,
            "publish_limit": publishLimit, "secrets": secrets,
            "passphrase_command": passphraseCommand,
        ]
        return [
            ["default": defaults.map(\.text)], single.compactMapValues { $0.map { [$0.text] } },
            network.mapValues { [$0.text] }, texts(news), texts(environment),
        ] + watch.map { texts($0.values) }
    }

    /// ``environment`` as programs are started with it.
    var passedVariables: [String: Set<String>] { environment.mapValues { Set($0.map(\.text)) } }

    /// A complaint about a line.
    package func complaint(_ line: Int, _ what: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "configuration", message: "\(path):\(line): \(what)")
    }

    func unknown(_ key: Value, among keys: [String], of what: String) -> SubmitFailure {
        complaint(
            key.line,
            "“\(key.text)” is not a key of \(what)\(NearestNames.hint(for: key.text, among: keys)); "
                + "there are \(keys.sorted().joined(separator: ", ")).")
    }

    /// Lists of fields may stand as such: `fields: { name: text, price: number }` is `name: text, price: number`.
    private func source(_ name: Value, _ node: Node) throws(SubmitFailure) -> Entry {
        guard Self.isName(name.text) else {
            throw complaint(
                name.line, "“\(name.text)” is no name for a source: use letters, digits, “-”, “_” and “.”.")
        }
        var entry = Entry(type: name, line: name.line, values: [:])
        for (key, value) in try mapping(node, "the source “\(name.text)”") {
            if let list = value.mapping, key.text == "fields" {
                var parts: [String] = []
                for (field, kind) in list {
                    parts.append("\(field.scalar?.string ?? ""): \(kind.scalar?.string ?? "")")
                }
                entry.values[key.text] = Value(text: parts.joined(separator: ", "), line: key.line)
            } else {
                entry.values[key.text] = try scalar(value, key)
            }
        }
        return entry
    }

    private func entry(
        _ name: Value, _ node: Node
    ) throws(SubmitFailure) -> Entry {
        guard Self.isName(name.text) else {
            throw complaint(
                name.line, "“\(name.text)” is no name for a destination: use letters, digits, “-”, “_” and “.”.")
        }
        var entry = Entry(type: name, lacksType: true, line: name.line, values: [:])
        for (key, value) in try mapping(node, "the destination “\(name.text)”") {
            let text = key.text == "rendition" ? try words(value, key) : try scalar(value, key)
            if key.text == "type" {
                (entry.type, entry.lacksType) = (text, false)
            } else if Self.generalKeys.contains(key.text) {
                entry.general[key.text] = text
            } else {
                entry.values[key.text] = text
            }
        }
        return entry
    }

    /// Whether a destination can be called this.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            && name.first != "-" && name.first != "."
    }

    private func mapping(
        _ node: Node, _ what: String
    ) throws(SubmitFailure) -> [(key: Value, value: Node)] {
        if let scalar = node.scalar, scalar.string.isEmpty || scalar.string == "~" || scalar.string == "null" {
            return []
        }
        guard let mapping = node.mapping else {
            throw complaint(node.mark?.line ?? 1, "\(what) must be a list of “key: value” lines.")
        }
        var pairs: [(key: Value, value: Node)] = []
        for (key, value) in mapping {
            guard let text = key.scalar?.string else {
                throw complaint(key.mark?.line ?? 1, "a key of \(what) must be plain text.")
            }
            pairs.append((Value(text: text, line: key.mark?.line ?? 1), value))
        }
        return pairs
    }

    private func rules(_ node: Node) throws(SubmitFailure) -> [Rule] {
        guard let sequence = node.sequence else {
            throw complaint(
                node.mark?.line ?? 1, "“watch” must be a list of rules, each with “- folder:” or “- card:”.")
        }
        var rules: [Rule] = []
        for element in sequence {
            var rule = Rule(line: element.mark?.line ?? 1, values: [:])
            for (key, value) in try mapping(element, "a rule of “watch”") {
                guard Rule.keys.contains(key.text) else {
                    throw unknown(key, among: Rule.keys, of: "a rule of “watch”")
                }
                rule.values[key.text] =
                    Rule.lists.contains(key.text)
                    ? try names(value, "“\(key.text)” must be a list.")
                    : [key.text == "rendition" ? try words(value, key) : try scalar(value, key)]
            }
            rules.append(rule)
        }
        return rules
    }

    /// `{ strip: gps, keep: [date, camera] }` as `strip=gps keep=date,camera`.
    private func words(_ node: Node, _ key: Value) throws(SubmitFailure) -> Value {
        guard node.mapping != nil else { return try scalar(node, key) }
        var words: [String] = []
        for (name, value) in try mapping(node, "“\(key.text)”") {
            let values = try names(value, "“\(name.text)” must be a value or a list of them.").map(\.text)
            words.append("\(name.text)=\(values.joined(separator: ","))")
        }
        return Value(text: words.joined(separator: " "), line: key.line)
    }

    private func scalar(
        _ node: Node, _ key: Value
    ) throws(SubmitFailure) -> Value {
        guard let text = node.scalar?.string else {
            throw complaint(key.line, "“\(key.text)” must have one value.")
        }
        return Value(text: text, line: node.mark?.line ?? key.line)
    }

    private func names(_ node: Node, _ complaint: String) throws(SubmitFailure) -> [Value] {
        if let scalar = node.scalar {
            return scalar.string.split(separator: ",").map {
                Value(text: $0.trimmingCharacters(in: .whitespaces), line: node.mark?.line ?? 1)
            }
        }
        guard let sequence = node.sequence else {
            throw self.complaint(node.mark?.line ?? 1, complaint)
        }
        var names: [Value] = []
        for element in sequence {
            guard let text = element.scalar?.string else {
                throw self.complaint(element.mark?.line ?? 1, complaint)
            }
            names.append(Value(text: text, line: element.mark?.line ?? 1))
        }
        return names
    }

    private static func syntax(_ error: any Error, _ path: FilePath) -> SubmitFailure {
        let line: Int
        let problem: String
        switch error as? YamlError {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _), .composer(_, let text, let mark, _):
            (line, problem) = (mark.line, text)
        case .duplicatedKeysInMapping(let duplicates, let context):
            (line, problem) = (context.mark.line, "the key “\(duplicates.first ?? "")” stands there twice")
        default: (line, problem) = (1, "it is not YAML")
        }
        return SubmitFailure(.giveUp, code: "configuration", message: "\(path):\(line): \(problem).")
    }
}

extension ConfigurationFile.Value: CustomReflectable {
    /// Where it stands, and not what it says: that may be a proxy's password, or a secret in the wrong place.
    public var customMirror: Mirror { Mirror(self, children: ["line": line]) }
}
