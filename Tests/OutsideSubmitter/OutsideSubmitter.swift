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
/// `submit-to-outside-file`, `…-objstore`, `…-webdav` and `…-memory` make four programs of it.
@main
enum OutsideSubmitter {
    static func main() async throws {
        let name = CommandLine.arguments[0].split(separator: "/").last ?? ""
        await SubmitterProgram.serve(try type(String(name.split(separator: "-").last ?? "")))
    }

    private static func type(_ name: String) throws -> SubmitterType {
        switch name {
        case "file": LocalFileSubmitter.submitterType()
        case "objstore": ObjectStorageSubmitter.submitterType(transport: try transport())
        case "webdav": WebDAVSubmitter.submitterType(transport: try transport())
        case "memory": InMemorySubmitter.submitterType(name: "outside-memory")
        default: fatalError("Call it by a symbolic link: submit-to-outside-file, -objstore, -webdav or -memory.")
        }
    }

    private static func transport() throws -> CurlTransport {
        try CurlTransport(CurlConfiguration(userAgent: "submit/test", proxy: ""))
    }
}
