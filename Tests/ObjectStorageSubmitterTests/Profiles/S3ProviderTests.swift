import Foundation
import Submit
import Testing

@testable import ObjectStorageSubmitter

private let partsComplaint = "“parts” must be false or have a least and a most size and a count"

@Suite struct `The profile of a provider` {
    @Test(arguments: S3Provider.allCases)
    func `can be read, and notes a source before each of its keys`(provider: S3Provider) throws {
        let profile = try provider.profile()
        #expect(!profile.title.isEmpty && !profile.isUnknown)
        #expect(profile.computesCRC32C || !profile.computesCRC32COfParts)
        let lines = String(decoding: provider.yaml, as: UTF8.self).split(separator: "\n")
        // The first lines are about the file; several keys in a row may have one source.
        let body = lines.drop { !$0.hasPrefix("title:") }.dropFirst()
        #expect(body.first?.hasPrefix("# ") == true)
        #expect(body.contains { $0.contains("https://") || $0.contains("rclone's") })
        #expect(lines.allSatisfy { $0.utf8.count <= 120 })
    }

    @Test func `is there for each file, and a file for each`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Plugins/ObjectStorageSubmitter/S3/Profiles").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(S3Provider.allCases.map { $0.rawValue + ".yaml" }))
    }

    @Test(arguments: S3Provider.allCases)
    func `is found by its hosts, whose last two labels are words`(provider: S3Provider) throws {
        let profile = try provider.profile()
        for pattern in profile.hosts {
            #expect(!pattern.split(separator: ".").suffix(2).joined().contains("*"))
            let host = pattern.replacing("*", with: "x-1.y")
            #expect(try S3Provider.recognised(by: host)?.title == profile.title)
            #expect(try S3Provider.recognised(by: host.uppercased())?.title == profile.title)
        }
    }

    @Test(arguments: [
        ("s3.eu-west-3.amazonaws.com", S3Provider.aws), ("s3.cn-north-1.amazonaws.com.cn", .aws),
        ("s3.us-west-004.backblazeb2.com", .b2), ("s3.wasabisys.com", .wasabi),
        ("s3.eu-central-1.wasabisys.com", .wasabi), ("0123abcd.r2.cloudflarestorage.com", .r2),
        ("0123abcd.eu.r2.cloudflarestorage.com", .r2),
        ("gateway.storjshare.io", .storj), ("s3.fr-par.scw.cloud", .scaleway),
        ("ams3.digitaloceanspaces.com", .digitalocean),
        ("storage.googleapis.com", .gcs), ("oss-cn-hangzhou.aliyuncs.com", .alibaba),
        ("ns.compat.objectstorage.eu-frankfurt-1.oraclecloud.com", .oracle),
        ("s3.eu-de.cloud-object-storage.appdomain.cloud", .ibm),
    ])
    func `is found by a host of its service`(host: String, provider: S3Provider) throws {
        #expect(try S3Provider.recognised(by: host) == provider.profile())
    }

    @Test(arguments: [
        "notamazonaws.com", "amazonaws.com.evil.org", "s3..wasabisys.com", "wasabisys.com", "xs3.wasabisys.com",
        "localhost", "127.0.0.1", "::1", "", "s3.example.org",
        "storage.googleapis.com.example.org", "mystorage.googleapis.com",
    ])
    func `is not found by others`(host: String) throws {
        #expect(try S3Provider.recognised(by: host) == nil)
    }

    @Test(arguments: [
        ("title: [a]", "“title” must be a text"), ("hosts: a.b", "“hosts” must be a list of texts"),
        ("path_style: perhaps", "“path_style” must be true or false"),
        ("crc32c: 1", "“crc32c” must be true or false"), ("crc23c: true", "“crc23c” is no key of a profile"),
        ("parts: {least: 5 parts, most: 5GiB, count: 1}", partsComplaint),
        ("parts: {least: 5MiB, most: 1MiB, count: 1}", partsComplaint),
        ("parts: {least: 5MiB, most: 5GiB}", partsComplaint),
        ("abort_takes_object: 1", "“abort_takes_object” must be true or false"),
        ("tags: {}", "“tags” must be true or false"), ("- a", "is no mapping"), ("a: b: c", "is no mapping"),
    ])
    func `with a mistake is refused by the key`(yaml: String, complaint: String) {
        let invalid = #expect(throws: S3Profile.Invalid.self) { try S3Profile(yaml: yaml) }
        #expect(invalid?.complaint == complaint)
    }

    @Test func `is written as it is read`() throws {
        var profile = S3Profile()
        profile.computesCRC32C = true
        profile.putsConditionally = false
        profile.completesConditionally = true
        profile.parts = nil
        profile.etagsAreMD5 = true
        profile.etagsAreOfParts = false
        #expect(try S3Profile(yaml: profile.yaml) == profile)
        #expect(try S3Profile(yaml: S3Profile().yaml).isUnknown)
    }
}

@Suite struct `The setting provider` {
    private func service(_ values: [String: String]) throws(SubmitFailure) -> S3Service {
        let settings = DestinationSettings(
            destination: "bucket", values: ["bucket": "b"].merging(values) { $1 },
            secrets: ["access_key_id": "AKID", "secret_access_key": "s3cr3t"])
        return try S3Settings(
            settings, CommonSettings(settings), transport: FakeStorage(), clock: { .now }, environment: [:],
            profile: nil
        ).service
    }

    @Test func `says what the host does not`() throws {
        let endpoint = ["endpoint": "https://minio.example.org"]
        #expect(try service(endpoint).profile.isUnknown)
        #expect(try service(endpoint.merging(["provider": "minio"]) { $1 }).profile == S3Provider.minio.profile())
        let amazon = ["endpoint": "https://s3.eu-west-3.amazonaws.com"]
        #expect(try service(amazon).profile == S3Provider.aws.profile())
        #expect(try service(amazon.merging(["provider": "ceph"]) { $1 }).profile == S3Provider.ceph.profile())
        #expect(try service([:]).profile == S3Provider.aws.profile())
    }

    @Test func `sets where the bucket is named`() throws {
        let values = ["endpoint": "https://oss.example.org", "provider": "alibaba"]
        #expect(try service(values).origin(of: "b") == "https://b.oss.example.org")
        #expect(try service(values.merging(["path_style": "yes"]) { $1 }).origin(of: "b") == "https://oss.example.org")
    }

    @Test func `that is unknown is refused with the nearest`() {
        let failure = #expect(throws: SubmitFailure.self) { try service(["provider": "minoi"]) }
        #expect(failure?.code == "configuration" && failure?.message.contains("did you mean “minio”") == true)
    }
}
