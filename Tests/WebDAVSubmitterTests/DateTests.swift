import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import SubmitXML
import Testing

@testable import WebDAVSubmitter

@Suite struct `Dates at a WebDAV server` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
    private static let date: Int64 = 1_700_000_000

    private func modified(_ path: String) throws -> Int64 {
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return Int64(try #require(date).timeIntervalSince1970)
    }

    @Test func `are the photo's on nginx, also after the move`() async throws {
        let access = try await DAVFront.nginx.access()
        let folder = "dates-\(UUID().uuidString.lowercased())"
        _ = try await access.submitter(["folder": folder]).submit(bytes)
        #expect(try modified("\(access.data)/\(folder)/a.jpg") == Self.date)
        _ = try await access.submitter(["folder": folder, "dates": "none"]).submit(bytes, named: "b.jpg", as: "test-2")
        #expect(try modified("\(access.data)/\(folder)/b.jpg") > Self.date)
    }

    @Test func `are what X-OC-Mtime says where that is known`() async throws {
        let server = FakeDAV([.ocMtime])
        _ = try await server.submitter().submit(bytes)
        #expect(server.modified("a.jpg") == Self.date)
    }

    @Test(arguments: ["PUT", "MOVE"])
    func `are left out where a server stumbles over them twice`(_ method: String) async throws {
        let server = FakeDAV([.ocMtime]) { request, _ in
            let isDated = request.headers.contains { $0.name == "X-OC-Mtime" }
            return isDated && request.method == method && request.url.contains("test-1")
                ? .success(HTTPResponse(status: 500)) : nil
        }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == (method == "PUT" ? .tryAnother(after: nil) : .retry(after: nil)))
        let receipt = try await submitter.submit(bytes, attempt: 2)
        #expect(server.files == ["a.jpg": bytes.content])
        #expect(receipt.note?.contains("does not take the file's date") ?? false)
    }

    @Test(arguments: [-141, 0, 86_400, 86_401] as [Int64])
    func `before the second day of 1970 are not given to a Nextcloud`(_ seconds: Int64) async throws {
        let server = FakeDAV([.ocMtime]) { request, _ in
            let date = request.headers.first { $0.name == "X-OC-Mtime" }.flatMap { Int64($0.value) }
            return date.map { $0 <= 86_400 } ?? false ? .success(HTTPResponse(status: 500)) : nil
        }
        var item = bytes.item(named: "a.jpg")
        item.modified = Timestamp(nanoseconds: seconds * 1_000_000_000)
        let receipt = try await server.submitter().submit(
            item, bytes: bytes, context: SubmissionContext(submission: "test-1", attempt: 1))
        #expect(server.files == ["a.jpg": bytes.content])
        #expect((receipt.note == nil) == (seconds > 86_400))
    }

    @Test(arguments: [DAVFront.apache, .sabre])
    func `are kept as a property on what has no other way, when asked for`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "dates-\(UUID().uuidString.lowercased())"
        let receipt = try await access.submitter(["folder": folder, "dates": "properties"]).submit(bytes)
        #expect(receipt.note == nil)
        let name = XMLName("Win32LastModifiedTime", namespace: "urn:schemas-microsoft-com:")
        #expect(try await access.property(name, of: "/dav/\(folder)/a.jpg") == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test func `cost plain servers no request unless asked for`() async throws {
        let server = FakeDAV()
        let submitter = try server.submitter()
        _ = try await submitter.submit(bytes)
        let before = server.log.count
        _ = try await submitter.submit(bytes, named: "b.jpg", as: "test-2")
        #expect(!server.log.dropFirst(before).contains { $0.hasPrefix("PROPPATCH") })
    }
}

extension DAVFront.Access {
    /// A property as anybody reads it.
    func property(_ name: XMLName, of path: String) async throws -> String? {
        let endpoint = try #require(
            try DestinationSettings(destination: "dav", values: ["url": url], secrets: [:]).endpoint("url"))
        let credentials = HTTPCredentials.password(user: values["user"] ?? "", password: secrets["password"] ?? "")
        let server = DAVServer(
            endpoint, destination: "other",
            transport: AuthenticatingTransport(transport, credentials: credentials, origin: endpoint, allowsBasic: true)
        )
        let answer = try await server.propfind(try #require(DAVPath(href: path)), [name], depth: "0", about: nil)
        return try Multistatus.parse(answer.body).first?.properties[name]?.text
    }
}
