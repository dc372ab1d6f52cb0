import Submit
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

private let answer = """
    {"Code": "Success", "LastUpdated": "2029-12-31T00:00:00Z", "Type": "AWS-HMAC", "AccessKeyId": "ASIA",
     "SecretAccessKey": "s3cr3t", "Token": "t0ken", "Expiration": "2030-01-02T03:04:05Z"}
    """

private func isIt(_ lease: ExpiringValue<AccessKey>.Lease) -> Bool {
    lease.value.id == "ASIA" && lease.value.holds(secret: "s3cr3t", token: "t0ken")
        && lease.expires?.seconds == 1_893_553_445
}

private let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
private let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"

@Suite struct `A container's service` {
    private func container(_ environment: [String: String]) throws -> ContainerCredentials {
        try #require(try ContainerCredentials(environment: environment))
    }

    @Test(arguments: [
        ([relative: "/v2/credentials/1-2"], "http://169.254.170.2/v2/credentials/1-2"),
        ([relative: "/a?id=1", full: "https://example.org/b"], "http://169.254.170.2/a?id=1"),
        ([full: "https://keys.example.org/b?x=y"], "https://keys.example.org/b?x=y"),
        ([full: "http://localhost:1441/provider/"], "http://localhost:1441/provider/"),
        ([full: "http://127.1.2.3/b"], "http://127.1.2.3/b"), ([full: "http://[::1]:80/b"], "http://[::1]:80/b"),
        ([full: "http://169.254.170.2/b"], "http://169.254.170.2/b"),
        ([full: "http://169.254.170.23/v1/credentials"], "http://169.254.170.23/v1/credentials"),
        ([full: "http://[fd00:ec2::23]/v1/credentials"], "http://[fd00:ec2::23]/v1/credentials"),
    ])
    func `is asked where the environment says`(_ environment: [String: String], _ url: String) async throws {
        let service = ScriptedService(200, answer)
        #expect(isIt(try await container(environment).lease(service)))
        #expect(service.log == ["GET \(url)"])
        #expect(service.requests[0]["authorization"] == nil)
    }

    @Test func `is not there where the environment names none`() throws {
        #expect(try ContainerCredentials(environment: [relative: "", full: ""]) == nil)
    }

    @Test(arguments: [
        [full: "http://example.org/p4th"], [full: "http://169.254.170.24/p4th"], [full: "http://10.0.0.1/p4th"],
        [full: "http://[fd00:ec2::24]/p4th"], [full: "ftp://localhost/p4th"], [full: "https://u:p4th@localhost/"],
        [full: "http://localhost/p4th#x"], [full: "http://localhost/p4th x"], [full: "p4th"],
        [full: "http://169.254.170.2@example.org/p4th"], [relative: "@example.org/p4th"], [relative: ".p4th"],
    ])
    func `is not asked elsewhere`(_ environment: [String: String]) {
        let failure = #expect(throws: AccessKeyFailure.self) { try ContainerCredentials(environment: environment) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.contains(environment.keys.first!) == true)
        #expect(failure?.reason.contains("p4th") == false)
    }

    @Test func `gets the token of the file, as it is now, or else of the environment`() async throws {
        let folder = TemporaryFolder()
        var environment = [relative: "/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic abc"]
        let service = ScriptedService(200, answer)
        _ = try await container(environment).lease(service)
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = try folder.write("one\n", to: "token")
        let filed = try container(environment)
        _ = try await filed.lease(service)
        try folder.write("two", to: "token")
        _ = try await filed.lease(service)
        #expect(service.requests.map { $0["authorization"] } == ["Basic abc", "one", "two"])
    }

    @Test(arguments: ["", "t0ken\nX-Evil: 1", "t0kén"])
    func `gets no token that cannot be a header`(_ token: String) async throws {
        let folder = TemporaryFolder()
        let path = try folder.write(token, to: "token")
        let credentials = try container([relative: "/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": path])
        let service = ScriptedService.untouched
        let failure = await #expect(throws: AccessKeyFailure.self) { try await credentials.lease(service) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.contains("t0k") == false)
        #expect(service.log.isEmpty)
    }

    @Test func `whose token file is gone is named`() async throws {
        let environment = [relative: "/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/nowhere/token"]
        let failure = await #expect(throws: AccessKeyFailure.self) {
            try await container(environment).lease(ScriptedService.untouched)
        }
        #expect(failure?.reason.contains("/nowhere/token") == true)
    }

    @Test func `shows neither its path nor its token`() throws {
        let container = try container([relative: "/p4th", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t0ken"])
        var text = "\(container) \(String(reflecting: container))"
        dump(container, to: &text)
        #expect(!text.contains("p4th") && !text.contains("t0ken"))
    }
}

@Suite struct `A service that hands out keys` {
    private func failure(_ script: @escaping ScriptedService.Script) async throws -> AccessKeyFailure? {
        let container = try #require(try ContainerCredentials(environment: [relative: "/p4th"]))
        let failure = await #expect(throws: AccessKeyFailure.self) {
            try await container.lease(ScriptedService(script))
        }
        for secret in ["s3cr3t", "t0ken", "p4th"] { #expect(failure?.reason.contains(secret) == false) }
        return failure
    }

    @Test(arguments: [
        (400, #"{"code": "NoRole", "message": "s3cr3t"}"#, HoldReason.misconfigured, "400 NoRole"),
        (404, "s3cr3t", .misconfigured, "404"), (302, "", .misconfigured, "302"), (429, "", .unreachable, "429"),
        (503, #"{"code": "s3cr3t\u000a"}"#, .unreachable, "503"), (200, "s3cr3t", .misconfigured, "no key"),
        (200, #"{"Code": "AssumeRoleDenied", "Message": "s3cr3t"}"#, .misconfigured, "AssumeRoleDenied"),
        (200, #"{"AccessKeyId": "A", "Token": "t0ken"}"#, .misconfigured, "SecretAccessKey"),
    ])
    func `is judged by its answer`(_ status: Int, _ body: String, _ reason: HoldReason, _ named: String) async throws {
        let failure = try await failure { _ in .success(HTTPResponse(status: status, body: Array(body.utf8))) }
        #expect(failure?.remedy == .hold(reason, after: nil))
        #expect(failure?.reason.contains(named) == true)
        #expect(failure?.reason.contains("http://169.254.170.2") == true)
    }

    @Test(arguments: [
        (HTTPFailure.cancelled, Remedy.cancelled), (.cannotConnect("x"), .hold(.unreachable, after: nil)),
        (.stalled(afterBody: true), .hold(.unreachable, after: nil)),
        (.broken("x", afterBody: true), .hold(.unreachable, after: nil)),
        (.badAnswer("x"), .hold(.unreachable, after: nil)),
        (.untrusted("x"), .hold(.misconfigured, after: nil)),
        (.badRequest("x"), .hold(.misconfigured, after: nil)),
        (.refusedRedirect("x"), .hold(.misconfigured, after: nil)),
    ])
    func `that does not answer costs no submission an attempt`(_ trouble: HTTPFailure, _ remedy: Remedy) async throws {
        #expect(try await failure { _ in .failure(trouble) }?.remedy == remedy)
    }
}

@Suite struct `An instance's metadata service` {
    /// A service of version 2 with one role; counts on its token.
    private func service(_ origin: String) -> ScriptedService {
        ScriptedService { request in
            func text(_ body: String) -> Result<HTTPResponse, HTTPFailure> {
                .success(HTTPResponse(status: 200, body: Array(body.utf8)))
            }
            if request.method == "PUT", request.url == "\(origin)/latest/api/token" {
                return request["x-aws-ec2-metadata-token-ttl-seconds"] == "21600" && request.body.length == 0
                    ? text("imds-t0ken") : .success(HTTPResponse(status: 400))
            }
            let isKnown = request["x-aws-ec2-metadata-token"] == "imds-t0ken"
            guard isKnown else { return .success(HTTPResponse(status: 401)) }
            switch request.url {
            case "\(origin)/latest/meta-data/iam/security-credentials/": return text("a role\nanother\n")
            case "\(origin)/latest/meta-data/iam/security-credentials/a%20role": return text(answer)
            default: return .success(HTTPResponse(status: 404))
            }
        }
    }

    @Test(arguments: [
        ([:], "http://169.254.169.254"),
        (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://[fd00:ec2::254]/"], "http://[fd00:ec2::254]"),
    ])
    func `is asked for a token, the role and its key`(_ environment: [String: String], _ origin: String) async throws {
        let service = service(origin)
        #expect(isIt(try await InstanceCredentials(environment: environment).lease(service)))
        #expect(service.log.count == 3)
    }

    @Test(arguments: [
        ["AWS_EC2_METADATA_DISABLED": "True"], ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "169.254.169.254"],
    ])
    func `is not asked where the environment forbids it or is wrong`(_ environment: [String: String]) {
        let failure = #expect(throws: AccessKeyFailure.self) { try InstanceCredentials(environment: environment) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.contains(environment.keys.first!) == true)
    }

    @Test func `without a role is named`() async throws {
        let service = ScriptedService(200, "")
        let failure = await #expect(throws: AccessKeyFailure.self) {
            try await InstanceCredentials(environment: [:]).lease(service)
        }
        #expect(failure?.reason.contains("no role") == true)
    }

    @Test func `is reached over the transport of earnest`() async throws {
        let path = "/latest/meta-data/iam/security-credentials/"
        let server = ScriptedServer.answering { request in
            switch (request.method, request.target) {
            case ("PUT", "/latest/api/token") where request["Content-Length"] == "0":
                ScriptedServer.answer(200, [], "tok")
            case ("GET", path) where request["X-aws-ec2-metadata-token"] == "tok":
                ScriptedServer.answer(200, [], "role")
            case ("GET", path + "role"): ScriptedServer.answer(200, [], answer)
            default: ScriptedServer.answer(400)
            }
        }
        let transport = try CurlTransport(CurlConfiguration(userAgent: "test", proxy: ""))
        let credentials = try InstanceCredentials(environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint])
        #expect(isIt(try await credentials.lease(transport)))
    }
}

/// What Go writes where no time was set is older than 64 bits of nanoseconds reach.
@Test(arguments: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
func `A key that ended or ends far away has an end`(_ end: String) throws {
    let text = answer.replacing("2030-01-02T03:04:05Z", with: end)
    let lease = try #require(try KeyDocument(Array(text.utf8))?.lease(from: "it"))
    let expires = try #require(lease.expires)
    #expect((expires.seconds < 0) == end.hasPrefix("0"))
}
