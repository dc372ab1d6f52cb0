internal import Foundation

/// A folder that goes with this value, or at the latest with the test process.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Holds all of this process's folders.
    private static let root: (path: String, cleanup: Cleanup?) = {
        var name = Array("/tmp/submit-tests-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { fatalError("/tmp cannot be written to") }
        let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Others may pass through, for tests that drop root's rights, and see nothing.
        chmod(path, 0o711)
        return (path, try? Cleanup(["rm", "-rf", path]))
    }()

    public init() {
        path = "\(Self.root.path)/\(UUID().uuidString.prefix(13).lowercased())"
        mkdir(path, 0o755)
    }

    /// One on another file system.
    public init(in folder: String) {
        path = "\(folder)/submit-tests-\(UUID().uuidString.lowercased())"
        mkdir(path, 0o755)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in it, and returns its path.
    @discardableResult
    public func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    /// Writes a file in it, and returns its path.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try write(text.utf8, to: name)
    }

    /// A file's text; empty if it is not there.
    public func text(_ name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path(name)) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
