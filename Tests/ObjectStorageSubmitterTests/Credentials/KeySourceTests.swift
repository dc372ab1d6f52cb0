import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A source of access keys` {
    private static let keys = ["access_key_id": "AKSET", "secret_access_key": "s3cr3t", "session_token": "t0ken"]
    private static let container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"]
    private static let answer = #"{"AccessKeyId": "AKCONTAINER", "SecretAccessKey": "s", "Token": "t"}"#
    private static let files = (
        config: "[default]\nregion = eu-west-3\n[profile empty]\nregion = x\n",
        credentials: """
        [default]
        aws_access_key_id = AKDEFAULT
        aws_secret_access_key = s
        [work]
        aws_access_key_id = AKWORK
        aws_secret_access_key = s
        [other]
        aws_access_key_id = AKOTHER
        aws_secret_access_key = s
        """
    )

    private func source(
        _ values: [String: String] = [:], secrets: [String: String] = [:], in environment: [String: String],
        _ service: ScriptedService = .untouched
    ) throws(SubmitFailure) -> KeySource {
        try KeySource(
            DestinationSettings(destination: "bucket", values: values, secrets: secrets), environment: environment,
            transport: service)
    }

    struct Row: Sendable {
        var values: [String: String] = [:]
        var secrets: [String: String] = [:]
        var environment: [String: String] = [:]
        let id: String
    }

    @Test(arguments: [
        Row(secrets: keys, environment: ["AWS_PROFILE": "work"].merging(container) { $1 }, id: "AKSET"),
        Row(values: ["profile": "other"], secrets: keys, environment: ["AWS_PROFILE": "work"], id: "AKOTHER"),
        Row(environment: ["AWS_PROFILE": "work"].merging(container) { $1 }, id: "AKWORK"),
        Row(environment: container, id: "AKDEFAULT"), Row(values: ["credentials": "auto"], id: "AKDEFAULT"),
        Row(values: ["credentials": "keys", "profile": "other"], secrets: keys, id: "AKSET"),
        Row(values: ["credentials": "profile", "profile": "other"], secrets: keys, id: "AKOTHER"),
        Row(values: ["credentials": "profile"], secrets: keys, environment: ["AWS_PROFILE": "work"], id: "AKWORK"),
        Row(values: ["credentials": "profile"], secrets: keys, id: "AKDEFAULT"),
        Row(values: ["credentials": "container"], secrets: keys, environment: container, id: "AKCONTAINER"),
    ])
    func `is the one that is set, or the first that is there`(_ row: Row) async throws {
        let home = try ProfileHome(config: Self.files.config, credentials: Self.files.credentials, row.environment)
        let service = ScriptedService(200, Self.answer)
        let source = try source(row.values, secrets: row.secrets, in: home.environment, service)
        #expect(service.log.isEmpty)
        #expect(try await source.lease().value.id == row.id)
        #expect(service.log.isEmpty == (row.id != "AKCONTAINER"))
    }

    @Test func `is the container where the default profile has no key`() async throws {
        let home = try ProfileHome(config: "[default]\nregion = eu-west-3", Self.container)
        let source = try source(in: home.environment, ScriptedService(200, Self.answer))
        #expect(try await source.lease().value.id == "AKCONTAINER")
        #expect(try source.place() == AWSProfile.Place())
    }

    @Test func `is the instance only where that is set`() async throws {
        let home = try ProfileHome()
        let service = ScriptedService(404, "")
        await #expect(throws: SubmitFailure.self) { try await self.source(in: home.environment, service).lease() }
        #expect(service.log.isEmpty)
        let source = try source(["credentials": "instance"], in: home.environment, service)
        let failure = await #expect(throws: SubmitFailure.self) { try await source.lease() }
        #expect(failure?.message.contains("http://169.254.169.254 answered 404") == true)
        #expect(service.log == ["PUT http://169.254.169.254/latest/api/token"])
    }

    @Test func `that is nowhere says how to set one up`() async throws {
        let home = try ProfileHome()
        let source = try source(in: home.environment)
        let failure = await #expect(throws: SubmitFailure.self) { try await source.lease() }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.code == "no-access-key")
        for word in ["“bucket”", "access_key_id", "profile", "container", "instance"] {
            #expect(failure?.message.contains(word) == true)
        }
    }

    @Test(arguments: ["missing", "empty"])
    func `whose profile is not there or has none names it`(_ name: String) async throws {
        let home = try ProfileHome(config: Self.files.config, credentials: Self.files.credentials)
        let source = try source(in: home.environment.merging(["AWS_PROFILE": name]) { $1 })
        let failure = await #expect(throws: SubmitFailure.self) { try await source.lease() }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains("“\(name)”") == true)
    }

    @Test func `reads its files when it is first asked, and anew each time`() async throws {
        let home = try ProfileHome()
        let source = try source(["profile": "late"], in: home.environment)
        await #expect(throws: SubmitFailure.self) { try await source.lease() }
        for id in ["AK1", "AK2"] {
            try home.folder.write("[late]\naws_access_key_id=\(id)\naws_secret_access_key=s", to: ".aws/credentials")
            #expect(try await source.lease().value.id == id)
        }
    }

    @Test func `runs the profile's program when it is asked`() async throws {
        let home = try ProfileHome(
            config: """
                [profile work]
                region = eu-west-3
                credential_process = sh -c "echo x >> $HOME/runs; cat $HOME/answer"
                """)
        try home.folder.write(#"{"Version":1,"AccessKeyId":"AKRUN","SecretAccessKey":"s"}"#, to: "answer")
        let source = try source(["profile": "work"], in: home.environment)
        #expect(try source.place() == AWSProfile.Place(region: "eu-west-3"))
        #expect(try home.folder.text("runs").isEmpty)
        #expect(try await source.lease().value.id == "AKRUN")
        #expect(try home.folder.text("runs") == "x\n")
    }

    @Test(arguments: [
        (["credentials": "profile"], [:], "eu-west-3"), ([:], [:], "eu-west-3"), ([:], keys, nil),
        (["profile": "work"], keys, nil), (["profile": "empty"], [:], "x"),
    ])
    func `knows the region of the profile that it reads, and of no other`(
        _ values: [String: String], _ secrets: [String: String], _ region: String?
    ) throws {
        let home = try ProfileHome(config: Self.files.config, credentials: Self.files.credentials)
        #expect(try source(values, secrets: secrets, in: home.environment).place().region == region)
    }

    @Test(arguments: [
        Row(values: ["credentials": "Keys"], id: "“credentials”"),
        Row(values: ["credentials": "keys"], id: "access_key_id"),
        Row(secrets: ["access_key_id": "A"], id: "secret_access_key"),
        Row(secrets: ["secret_access_key": "s3cr3t"], id: "access_key_id"),
        Row(secrets: ["access_key_id": "A\ns3cr3t", "secret_access_key": "s3cr3t"], id: "access_key_id"),
        Row(values: ["credentials": "container"], id: "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
        Row(environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://a"], id: "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
        Row(
            values: ["credentials": "instance"], environment: ["AWS_EC2_METADATA_DISABLED": "true"],
            id: "AWS_EC2_METADATA_DISABLED"),
    ])
    func `that cannot be is refused before it is asked`(_ row: Row) {
        let failure = #expect(throws: SubmitFailure.self) {
            try source(row.values, secrets: row.secrets, in: row.environment.merging(["HOME": "/nowhere"]) { $1 })
        }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains(row.id) == true)
        #expect(failure?.message.contains("“bucket”") == true)
        #expect(failure?.message.contains("s3cr3t") == false)
    }

    @Test func `is not shown by anything that prints`() throws {
        let source = try source(secrets: Self.keys, in: ["HOME": "/nowhere", "PASSWORD": "s3cr3t"])
        var text = "\(source) \(String(reflecting: source))"
        dump(source, to: &text)
        #expect(!text.contains("s3cr3t") && !text.contains("t0ken"))
    }

    @Test func `serves many requests with one question, and again after a refusal`() async throws {
        let service = ScriptedService(200, Self.answer)
        let source = try source(["credentials": "container"], in: Self.container, service)
        let keys = ExpiringValue(now: { Timestamp(nanoseconds: 0) }) { () async throws(SubmitFailure) in
            try await source.lease()
        }
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try? await keys.value() } }
        }
        #expect(service.log.count == 1)
        keys.refuse(try await keys.value())
        _ = try await keys.value()
        #expect(service.log.count == 2)
    }
}
