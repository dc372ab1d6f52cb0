internal import FoundationEssentials
internal import Submit
internal import SubmitPrograms

/// A file in which the AWS CLI and SDKs keep profiles: sections of `name = value` lines. Nothing that prints it shows a
/// value.
///
/// - A line that begins with `#` or `;` is a comment; so is what follows a blank and one of these, but in
///   `credential_process`, where it may be part of the program's arguments, as it is for the AWS CLI.
/// - A line that is indented further than the last property goes on with that property's value. Below a property
///   without a value stand properties of its own, which are called `outer.inner` here.
/// - Names of properties have no case. The last of two that are the same holds; two sections of one name are one.
///
/// Source: "Shared config and credentials files" in the AWS SDKs and Tools Reference Guide; the parser tests that the
/// SDKs share (`profile-parser-tests.json` in smithy-rs); for indented properties Python's `configparser`, which the
/// AWS CLI reads with.
struct AWSProfileFile: Sendable {
    let path: String
    private var sections: [String: [String: String]] = [:]

    /// Reads a file; one that is not there is empty.
    static func read(_ path: String) throws(AccessKeyFailure) -> AWSProfileFile {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return try AWSProfileFile("", path: path)
        } catch {
            throw .misconfigured("\(path) cannot be read; see that it is a file and yours")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .misconfigured("\(path) is not UTF-8 text; correct it")
        }
        return try AWSProfileFile(text, path: path)
    }

    /// A section's properties. Its name is without quotes and with one blank between its words.
    subscript(section: String) -> [String: String]? { sections[section] }

    /// - Throws: a failure that names the file and the line, and nothing that stands there.
    init(_ text: String, path: String) throws(AccessKeyFailure) {
        self.path = path
        var section: String?
        var property: (name: String, indentation: Int)?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            func complaint(_ what: String) -> AccessKeyFailure { .misconfigured("\(path):\(index + 1): \(what)") }
            let content = line.trimmed
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                guard let end = content.firstIndex(of: "]") else { throw complaint("a “[” has no “]”; add it") }
                let name = String(content[..<end].dropFirst())
                let words = ShellWords.split(name) ?? [name]
                let header = words.joined(separator: " ")
                sections[header] = sections[header] ?? [:]
                section = header
                property = nil
                continue
            }
            guard let section else { throw complaint("a line stands before the first “[profile]”; move or remove it") }
            let indentation = line.prefix { $0.isBlank }.count
            let outer = property.flatMap { indentation > $0.indentation ? $0.name : nil }
            if let outer, let value = sections[section]?[outer], !value.isEmpty {
                sections[section]?[outer] = value + "\n" + content
                continue
            }
            guard let equals = content.firstIndex(of: "="), case let name = content[..<equals].trimmed, !name.isEmpty
            else { throw complaint("it is no “name = value” line; correct or remove it") }
            let key = name.lowercased()
            let value = content[equals...].dropFirst()
            let shown = key == "credential_process" ? value.trimmed : value.withoutComment.trimmed
            sections[section]?[outer.map { "\($0).\(key)" } ?? key] = String(shown)
            if outer == nil { property = (key, indentation) }
        }
    }
}

extension AWSProfileFile: CustomStringConvertible, CustomReflectable {
    var description: String { "profiles in \(path)" }

    var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let head = drop { $0.isBlank }
        return head.prefix(head.count - head.reversed().prefix { $0.isBlank }.count)
    }

    fileprivate var withoutComment: Substring {
        for index in indices where self[index].isBlank {
            let next = self.index(after: index)
            if next < endIndex, self[next] == "#" || self[next] == ";" { return self[..<index] }
        }
        return self
    }
}
