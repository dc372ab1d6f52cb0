import HTTPTypes
import Submit
import SubmitReceiving
import SubmitStore
import SwiftASN1
import Foundation
import SubmitConfiguration
import SystemPackage
import SubmitPlatform
import Testing
import X509

@testable import SubmitServe

@Suite struct `Our own certificate` {
    private let folder = FilePath("/tmp/submit-serve-tests-\(UUID().uuidString)")

    @Test func `lasts as long as it holds, and covers all that it is shown for`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let first = try OwnCertificate.find(in: folder, covering: ["192.168.1.5", "box.local", "fd00::5"])
        let again = try OwnCertificate.find(in: folder, covering: ["192.168.1.5"])
        #expect(again.fingerprint == first.fingerprint)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.appending("key.pem").string)[
            .posixPermissions]
        #expect(mode as? Int == 0o600)

        let moved = try OwnCertificate.find(in: folder, covering: ["10.0.0.7"])
        #expect(moved.fingerprint != first.fingerprint)
        #expect(moved.key == first.key)
        let names = try Certificate(pemEncoded: moved.certificate).extensions.subjectAlternativeNames
        #expect(names?.count == 4)
        #expect(
            try OwnCertificate.find(in: folder, covering: ["box.local", "10.0.0.7"]).fingerprint == moved.fingerprint)

        let later = Date().addingTimeInterval(392 * 86_400)
        let renewed = try OwnCertificate.find(in: folder, covering: ["10.0.0.7"], now: later)
        #expect(renewed.fingerprint != moved.fingerprint)
        #expect(renewed.key == first.key)
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("192.168.0.1", false), ("10.1.1.1", false), ("172.16.0.1", false), ("172.32.0.1", true),
        ("100.64.0.1", false), ("127.0.0.1", false), ("169.254.1.1", false), ("::1", false), ("fd00::1", false),
        ("fe80::1", false), ("2001:db8::1", true),
    ]) func `and plain http know which addresses anyone may reach`(_ address: String, _ isPublic: Bool) {
        #expect(MachineAddresses.isPublic(address) == isPublic)
    }
}
