import LocalFileSubmitter
import ObjectStorageSubmitter
import Submit
import SubmitCurl
import SubmitPlugin
import SubmitTesting
import WebDAVSubmitter

/// Serves a type of this house as a program of its own, so that both ways of running it can be compared.
///
/// Hosts give their programs no arguments: it tells which by the name it was started by, so that symbolic links called
/// `submit-to-outside-file`, `…-objstore`, `…-webdav` and `…-memory` make four programs of it. As `…-relay` it has nothing
/// of its own: see ``Relay``.
@main
enum OutsideSubmitter {
    static func main() async throws {
        let name = String(CommandLine.arguments[0].split(separator: "-").last ?? "")
        if name == "relay" { Relay.run() }
        await SubmitterProgram.serve(try type(name))
    }

    private static func type(_ name: String) throws -> SubmitterType {
        switch name {
        case "file": LocalFileSubmitter.submitterType()
        case "objstore": ObjectStorageSubmitter.submitterType(transport: try transport())
        case "webdav": WebDAVSubmitter.submitterType(transport: try transport())
        case "memory": InMemorySubmitter.submitterType(name: "outside-memory")
        default: fatalError("Call it by a symbolic link: submit-to-outside-file, -objstore, -webdav, -memory or -relay.")
        }
    }

    private static func transport() throws -> CurlTransport {
        try CurlTransport(CurlConfiguration(userAgent: "submit/test", proxy: ""))
    }
}
