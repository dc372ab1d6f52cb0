import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

/// nginx that speaks with nobody who shows no certificate.
@Suite
struct ClientCertificateTests {
    private static let nginx = Task { try await NginxServer(demandsCertificates: true) }

    private func request(
        _ server: NginxServer, as name: String? = nil, certificate: ClientCertificate? = nil, path: String = "/who"
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: "GET", url: try #require(server.secureEndpoint) + path,
            clientCertificate: certificate ?? name.map { Self.certificate(server, $0) },
            certificateAuthority: server.certificateAuthority)
    }

    private static func certificate(_ server: NginxServer, _ name: String) -> ClientCertificate {
        let files = server.clientCertificate(name)
        return ClientCertificate(certificate: files.certificate, key: files.key)
    }

    /// Whose certificate the server saw.
    private func who(_ response: HTTPResponse) -> String {
        #expect(response.status == 200)
        return String(decoding: response.body, as: UTF8.self)
    }

    private func failure(_ request: HTTPRequest) async throws -> HTTPFailure? {
        let transport = try transport()
        return await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
    }

    /// The sentence of what is wrong with our files.
    private func sentence(_ certificate: ClientCertificate) async throws -> String {
        let server = try await Self.nginx.value
        let failure = try await failure(request(server, certificate: certificate))
        guard case .clientCertificate(let sentence)? = failure else {
            Issue.record("the failure is \(String(describing: failure))")
            return ""
        }
        #expect(sentence.hasSuffix(".") && !sentence.contains("hidden"))
        #expect(failure?.submitFailure(host: "h", file: "f").remedy == .hold(.misconfigured, after: nil))
        return sentence
    }

    @Test func `each request is made with its own certificate, whatever connections are open`() async throws {
        let server = try await Self.nginx.value
        let transport = try transport()
        var connections: [String: Set<Substring>] = [:]
        for name in ["ann", "bob", "ann", "bob"] {
            let text = who(try await transport.send(request(server, as: name)))
            #expect(text.contains("CN=\(name)"))
            connections[name, default: []].insert(text.split(separator: " ").last ?? "")
        }
        // Used again by the same, and by no other.
        #expect(connections["ann"]?.count == 1 && connections["bob"]?.count == 1)
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<40 {
                let name = number % 2 == 0 ? "ann" : "bob"
                let request = try request(server, as: name)
                group.addTask { (name, String(decoding: try await transport.send(request).body, as: UTF8.self)) }
            }
            for try await (name, text) in group { #expect(text.contains("CN=\(name)")) }
        }
        let nobody = try await transport.send(request(server))
        #expect(nobody.status == 400)
    }

    @Test func `a passphrase opens the key`() async throws {
        let server = try await Self.nginx.value
        let folder = TemporaryFolder()
        for kind in [["pkey"], ["ec"]] {
            let key = try await encryptedKey(server, kind, folder)
            let certificate = ClientCertificate(
                certificate: server.clientCertificate("ann").certificate, key: key, passphrase: "hidden words")
            let answer = try await transport().send(request(server, certificate: certificate))
            #expect(who(answer).contains("CN=ann"))
        }
    }

    @Test(.timeLimit(.minutes(1))) func `an encrypted key without its passphrase, or with another, is told`()
        async throws
    {
        let server = try await Self.nginx.value
        let folder = TemporaryFolder()
        let certificate = server.clientCertificate("ann").certificate
        for kind in [["pkey"], ["ec"]] {
            let key = try await encryptedKey(server, kind, folder)
            let none = try await sentence(ClientCertificate(certificate: certificate, key: key))
            #expect(none == "The key “\(key)” is encrypted: give its passphrase.")
            let wrong = try await sentence(
                ClientCertificate(certificate: certificate, key: key, passphrase: "hidden too"))
            #expect(wrong.contains("“\(key)” does not open with the passphrase given"))
        }
    }

    @Test func `files that cannot be used are told by their names`() async throws {
        let server = try await Self.nginx.value
        let ann = server.clientCertificate("ann")
        let bob = server.clientCertificate("bob")
        let missing = try await sentence(ClientCertificate(certificate: "/nowhere/c.pem", key: ann.key))
        #expect(missing.contains("certificate “/nowhere/c.pem” cannot be read"))
        let keyless = try await sentence(ClientCertificate(certificate: ann.certificate, key: "/nowhere/k.pem"))
        #expect(keyless.contains("key “/nowhere/k.pem” cannot be read"))
        let others = try await sentence(ClientCertificate(certificate: ann.certificate, key: bob.key))
        #expect(others.contains("“\(bob.key)” does not belong to the certificate “\(ann.certificate)”"))
        let swapped = try await sentence(ClientCertificate(certificate: ann.key, key: ann.certificate))
        #expect(swapped.contains("“\(ann.key)” holds no certificate"))
        let noKey = try await sentence(ClientCertificate(certificate: ann.certificate, key: ann.certificate))
        #expect(noKey.contains("“\(ann.certificate)” holds no private key"))
    }

    @Test func `a request trusts its own authority and no other`() async throws {
        let server = try await Self.nginx.value
        let other = try await NginxServer(isSecure: true)
        // The transport trusts the one, the request the other.
        let transport = try CurlTransport(
            CurlConfiguration(
                userAgent: "submit/test", proxy: "", certificateAuthorities: server.certificateAuthority))
        var request = try request(server, as: "ann")
        request.certificateAuthority = nil
        #expect(try await transport.send(request).status == 200)
        // Also where a connection is open that someone else trusted.
        request.certificateAuthority = other.certificateAuthority
        let untrusted = await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
        guard case .untrusted? = untrusted else {
            Issue.record("the failure is \(String(describing: untrusted))")
            return
        }
        request = HTTPRequest(
            method: "GET", url: try #require(other.secureEndpoint) + "/x",
            certificateAuthority: other.certificateAuthority)
        #expect(try await transport.send(request).status == 404)
    }

    @Test func `an authority that cannot be read is told by its name`() async throws {
        let server = try await Self.nginx.value
        for (path, words) in [("/nowhere/ca.pem", "cannot be read"), (server.clientCertificate("ann").key, "no cert")] {
            var request = try request(server, as: "ann")
            request.certificateAuthority = path
            let failure = try await failure(request)
            guard case .untrusted(let text)? = failure else {
                Issue.record("the failure is \(String(describing: failure))")
                continue
            }
            #expect(text.contains("“\(path)”") && text.contains(words))
        }
    }

    /// The key of `ann`, encrypted as `openssl KIND` writes it: PKCS #8 or the older form.
    private func encryptedKey(_ server: NginxServer, _ kind: [String], _ folder: TemporaryFolder) async throws -> String
    {
        let path = folder.path(kind[0] + ".key")
        try "hidden words".write(toFile: folder.path("words"), atomically: true, encoding: .utf8)
        try await ChildProcess.output(
            of: ["openssl"] + kind + [
                "-in", server.clientCertificate("ann").key, "-aes256", "-passout", "file:\(folder.path("words"))",
                "-out",
                path,
            ])
        return path
    }
}
