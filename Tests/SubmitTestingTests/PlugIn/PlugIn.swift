import Foundation
import Submit
import SubmitPlugin
import SubmitPluginHost
import SystemPackage
import TestServers

/// A program of its own whose submitters live in this process: what a host says to it comes here by a socket, and is
/// served as any plug-in serves it.
final class PlugIn: Sendable {
    private static let name = "outside-relay"
    private static let secret = "password"

    private let folder = TemporaryFolder()
    private let program: ExternalProgram
    private let listener: CInt

    /// Beside the test bundle, where the same build put it.
    private static let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("OutsideRelay").path

    /// - Parameter make: makes what a process of the program is.
    init(_ make: @escaping @Sendable () -> any Submitter) throws {
        let path = folder.path("submit-to-\(Self.name)")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Self.built)
        program = ExternalProgram(name: Self.name, path: FilePath(path))
        listener = try Self.listening(at: path + ".socket")
        let type = SubmitterType(
            name: Self.name, summary: "Is somewhere else, for tests", capabilities: make().capabilities,
            settings: [SettingKey(Self.secret, .secret, summary: "What must never show")]
        ) { _ in make() }
        Self.brokenPipesAreErrors
        Thread.detachNewThread { [listener] in Self.serve(type, listener) }
    }

    /// What the host makes of the program, in a process of its own.
    func submitter(secret: String) async throws(SubmitFailure) -> any Submitter {
        try await program.submitter(
            DestinationSettings(destination: "outside", secrets: [Self.secret: secret]),
            ProgramEnvironment(host: "submit tests", environment: ["PATH": "/usr/bin:/bin"]))
    }

    /// No process of it can begin any more.
    func end() { shutdown(listener, CInt(SHUT_RDWR)) }

    private static func serve(_ type: SubmitterType, _ listener: CInt) {
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
            if connection < 0 { break }
            let descriptor = FileDescriptor(rawValue: connection)
            Task {
                _ = await HostConnection(type, writing: descriptor).run(reading: descriptor)
                try? descriptor.close()
            }
        }
        close(listener)
    }

    /// A host may be gone when it is answered. A handler and not SIG_IGN, which all programs started here would inherit.
    private static let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE) { _ in } }()

    private static func listening(at path: String) throws -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Errno.fileNameTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        let status = withUnsafeBytes(of: &address) { bytes in
            bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
        guard status == 0, listen(descriptor, 64) == 0 else { throw Errno(rawValue: errno) }
        return descriptor
    }
}
