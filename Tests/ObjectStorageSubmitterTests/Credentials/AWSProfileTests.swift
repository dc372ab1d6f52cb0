import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// A home folder with the files of the AWS CLI in it.
struct ProfileHome {
    let folder = TemporaryFolder()
    let environment: [String: String]

    init(config: String? = nil, credentials: String? = nil, _ more: [String: String] = [:]) throws {
        environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(more) { $1 }
        try folder.folder(".aws")
        if let config { try folder.write(config, to: ".aws/config") }
        if let credentials { try folder.write(credentials, to: ".aws/credentials") }
    }

    func profile(_ name: String = "default") throws(AccessKeyFailure) -> AWSProfile? {
        try AWSProfile.read(name, environment: environment)
    }
}

extension AWSProfile.Origin {
    fileprivate var key: AccessKey? { if case .key(let key) = self { key } else { nil } }
    fileprivate var process: String? { if case .process(let process) = self { process } else { nil } }
}

@Suite struct `A file of profiles` {
    private func section(_ text: String, _ name: String = "profile foo") throws -> [String: String]? {
        try AWSProfileFile(text, path: "f")[name]
    }

    // After the parser tests that the AWS SDKs share.
    @Test(arguments: [
        ("[profile foo]", [:]), ("[profile foo]\nname = value", ["name": "value"]),
        ("[profile foo]\r\nname = value\r\n", ["name": "value"]), ("[profile foo]\nname = val=ue", ["name": "val=ue"]),
        ("[profile foo]\nname \t=  \tvalue \t", ["name": "value"]), ("[profile foo]\nname =", ["name": ""]),
        ("\t \n[profile foo]\n\t\n \nname = value\n\t \n[profile bar]\n \t", ["name": "value"]),
        ("# Comment\n[profile foo] # Comment\nname = value # Comment with # sign", ["name": "value"]),
        ("; Comment\n[profile foo]; Comment\nname = value ; Comment with ; sign", ["name": "value"]),
        ("[profile foo]\nname = value; Adjacent\nname2 = x# too", ["name": "value; Adjacent", "name2": "x# too"]),
        ("[profile foo]\nname = value\n -continued\n \t -and on \t ", ["name": "value\n-continued\n-and on"]),
        ("[profile foo]\nname = value\n # comment\nother = x", ["name": "value", "other": "x"]),
        ("[profile foo]\nname = value\n[profile foo]\nname2 = value2", ["name": "value", "name2": "value2"]),
        ("[profile foo]\nName = value\n[profile foo]\nname = value2", ["name": "value2"]),
        ("[profile foo]\ns3 =\n name = value\n\t \n name2 = \n", ["s3": "", "s3.name": "value", "s3.name2": ""]),
        ("[ profile\t foo ]\nname = value", ["name": "value"]), ("[profile \"foo\"]\nname = value", ["name": "value"]),
        ("[profile foo]\nname = ü😂", ["name": "ü😂"]),
        // Of configparser, which the AWS CLI reads with.
        ("[profile foo]\n  name = value\n  name2 = value2", ["name": "value", "name2": "value2"]),
        ("[profile foo]\ncredential_process = sh -c \"a ; b\" # c", ["credential_process": "sh -c \"a ; b\" # c"]),
    ])
    func `is read as the AWS SDKs read it`(_ text: String, _ properties: [String: String]) throws {
        #expect(try section(text) == properties)
    }

    @Test(arguments: [
        ("s3cr3t = value", 1), (" s3cr3t", 1), ("[profile s3cr3t", 1), ("\n# x\n[profile foo]\n= s3cr3t", 4),
        ("[profile foo]\r\ns3cr3t : value", 2), ("[profile foo]\na = b\n[profile foo]\n -s3cr3t", 4),
        ("[profile foo]\ns3 =\n s3cr3t", 3), ("[profile foo]\ns3 =\n = s3cr3t", 3),
    ])
    func `that cannot be read is named with its line and not what stands there`(_ text: String, _ line: Int) {
        let failure = #expect(throws: AccessKeyFailure.self) { try AWSProfileFile(text, path: "/home/a/.aws/config") }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.hasPrefix("/home/a/.aws/config:\(line): ") == true)
        #expect(failure?.reason.contains("s3cr3t") == false)
    }

    @Test func `that is not there is empty, and one that is no text is refused`() throws {
        let home = try ProfileHome(config: "[profile foo]")
        #expect(try AWSProfileFile.read(home.folder.path("nothing"))["profile foo"] == nil)
        #expect(try AWSProfileFile.read(home.folder.path(".aws/config"))["profile foo"] == [:])
        try home.folder.write([0x5b, 0xff, 0x5d], to: "bad")
        for path in [home.folder.path("bad"), home.folder.path(".aws")] {
            let failure = #expect(throws: AccessKeyFailure.self) { try AWSProfileFile.read(path) }
            #expect(failure?.reason.contains(path) == true)
        }
    }
}

@Suite struct `A profile` {
    private static let credentials = """
        [default]
        aws_access_key_id = AKDEFAULT
        aws_secret_access_key = default-secret
        [work]
        aws_access_key_id = AKWORK
        aws_secret_access_key = work-secret
        aws_session_token = work-token
        """

    @Test func `has the key of its section`() throws {
        let home = try ProfileHome(credentials: Self.credentials)
        let key = try #require(try home.profile()?.origin?.key)
        #expect(key.id == "AKDEFAULT" && key.holds(secret: "default-secret"))
        let work = try #require(try home.profile("work")?.origin?.key)
        #expect(work.id == "AKWORK" && work.holds(secret: "work-secret", token: "work-token"))
        #expect(try home.profile("other") == nil)
    }

    @Test func `of the configuration has the word in its section, but the default one`() throws {
        let home = try ProfileHome(config: "[foo]\nregion = a\n[profile bar]\nregion = b\n[default]\nregion = c")
        #expect(try home.profile("foo") == nil)
        #expect(try home.profile("bar")?.place == AWSProfile.Place(region: "b"))
        #expect(try home.profile()?.place == AWSProfile.Place(region: "c"))
        let both = try ProfileHome(config: "[profile default]\nregion = d\n[default]\nregion = c\nendpoint_url = x")
        #expect(try both.profile()?.place == AWSProfile.Place(region: "d"))
    }

    @Test func `takes the whole key from one file, the credentials file first`() throws {
        let config = """
            [default]
            aws_access_key_id = AKCONFIG
            aws_secret_access_key = config-secret
            aws_session_token = config-token
            region = eu-west-3
            """
        let both = try ProfileHome(config: config, credentials: Self.credentials)
        let key = try #require(try both.profile()?.origin?.key)
        #expect(key.id == "AKDEFAULT" && !key.holds(secret: "default-secret", token: "config-token"))
        #expect(try both.profile()?.place.region == "eu-west-3")
        let one = try ProfileHome(config: config, credentials: "[default]\nregion = us-west-2")
        let other = try #require(try one.profile()?.origin?.key)
        #expect(other.id == "AKCONFIG" && other.holds(secret: "config-secret", token: "config-token"))
        #expect(try one.profile()?.place.region == "us-west-2")
    }

    @Test func `runs its program unless the credentials file has a key`() throws {
        let config = """
            [default]
            credential_process = /opt/key --x
            [profile both]
            credential_process = /opt/key --y
            aws_access_key_id = AK
            aws_secret_access_key = secret
            """
        let home = try ProfileHome(config: config)
        #expect(try home.profile()?.origin?.process == "/opt/key --x")
        #expect(try home.profile("both")?.origin?.process == "/opt/key --y")
        let keyed = try ProfileHome(config: config, credentials: Self.credentials)
        #expect(try keyed.profile()?.origin?.key?.id == "AKDEFAULT")
    }

    @Test(arguments: ["role_arn", "source_profile", "sso_session", "sso_start_url", "web_identity_token_file"])
    func `with what is not supported names the way that is`(_ property: String) throws {
        let home = try ProfileHome(config: "[profile work]\n\(property) = s3cr3t", credentials: Self.credentials)
        let profile = try #require(try home.profile("work"))
        let failure = #expect(throws: AccessKeyFailure.self) { try profile.origin }
        #expect(failure?.reason.contains("“\(property)”") == true)
        #expect(failure?.reason.contains("“credential_process”") == true)
        #expect(failure?.reason.contains("s3cr3t") == false)
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        let way = try ProfileHome(config: "[profile work]\n\(property) = x\ncredential_process = y")
        #expect(try way.profile("work")?.origin?.process == "y")
    }

    @Test(arguments: [
        ("aws_access_key_id = AK", "aws_secret_access_key"), ("aws_secret_access_key = s3cr3t", "aws_access_key_id"),
        ("aws_access_key_id = A s3cr3t\naws_secret_access_key = s3cr3t", "strange characters"),
        ("aws_access_key_id = A\naws_secret_access_key = b\naws_session_token = a\n s3cr3t", "strange characters"),
    ])
    func `with half a key or one that cannot be sent is refused`(_ lines: String, _ named: String) throws {
        let home = try ProfileHome(credentials: "[default]\n\(lines)")
        let profile = try #require(try home.profile())
        let failure = #expect(throws: AccessKeyFailure.self) { try profile.origin }
        #expect(failure?.reason.contains(named) == true)
        #expect(failure?.reason.contains(".aws/credentials") == true)
        #expect(failure?.reason.contains("s3cr3t") == false)
    }

    @Test func `without anything of that has no origin`() throws {
        let home = try ProfileHome(config: "[default]\nregion = eu-west-3\ncredential_process =")
        #expect(try home.profile()?.origin == nil)
    }

    @Test(arguments: [
        ("endpoint_url = https://a", "https://a"), ("services = local", "https://s3"),
        ("endpoint_url = https://a\nservices = local", "https://s3"), ("services = other", nil),
        ("endpoint_url = https://a\nservices = local\nignore_configured_endpoint_urls = TRUE", nil),
    ])
    func `says where its requests go`(_ lines: String, _ endpoint: String?) throws {
        let services = "[services local]\nec2 =\n  endpoint_url = https://ec2\ns3 =\n  endpoint_url = https://s3\n"
        let home = try ProfileHome(config: services + "[profile work]\n" + lines)
        #expect(try home.profile("work")?.place == AWSProfile.Place(endpoint: endpoint))
    }

    @Test func `is looked for where the environment says`() throws {
        let home = try ProfileHome(credentials: "[default]\nregion = wrong")
        try home.folder.write("[default]\nregion = right", to: "mine")
        for path in [home.folder.path("mine"), "~/mine"] {
            let environment = home.environment.merging(["AWS_SHARED_CREDENTIALS_FILE": path]) { $1 }
            #expect(try AWSProfile.read("default", environment: environment)?.place.region == "right")
        }
        let other = ["HOME": "/nowhere", "AWS_CONFIG_FILE": home.folder.path("mine")]
        #expect(try AWSProfile.read("default", environment: other)?.place.region == "right")
    }

    @Test func `is not shown by anything that prints`() throws {
        let home = try ProfileHome(credentials: Self.credentials)
        let profile = try #require(try home.profile())
        let file = try AWSProfileFile(Self.credentials, path: "f")
        var text = "\(profile) \(file) \(String(reflecting: profile)) \(String(reflecting: file))"
        dump(profile, to: &text)
        dump(file, to: &text)
        try dump(#require(try profile.origin), to: &text)
        #expect(!text.contains("secret") && !text.contains("token"))
    }
}
