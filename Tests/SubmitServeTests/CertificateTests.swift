import HTTPTypes
import Submit
import SubmitReceiving
import SubmitStore
import SwiftASN1
import Foundation
import SubmitConfiguration
import SystemPackage
import SubmitPlatform
import NIOCore
import NIOPosix
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

    @Test func `has a key that nobody else can read, or is not used`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let own = try OwnCertificate.find(in: folder, covering: ["box.local"])
        let key = folder.appending("key.pem").string
        chmod(key, 0o644)
        let failure = #expect(throws: SubmitFailure.self) {
            try OwnCertificate.find(in: folder, covering: ["box.local"])
        }
        #expect(failure?.message.contains("others can read it; `chmod 600` it") == true, "\(failure?.message ?? "")")
        chmod(key, 0o600)
        #expect(try OwnCertificate.find(in: folder, covering: ["box.local"]).key == own.key)
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("192.168.0.1", false), ("10.1.1.1", false), ("172.16.0.1", false), ("172.32.0.1", true),
        ("100.64.0.1", false), ("127.0.0.1", false), ("169.254.1.1", false), ("::1", false), ("fd00::1", false),
        ("fe80::1", false), ("2001:db8::1", true),
    ]) func `and plain http know which addresses anyone may reach`(_ address: String, _ isPublic: Bool) {
        #expect(MachineAddresses.isPublic(address) == isPublic)
    }
}

@Suite struct `A port that is free` {
    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0", "::1"]) func `is found, and is none while somebody has it`(
        address: String
    ) async throws {
        // A machine may have no IPv6.
        if address == "::1", !MachineAddresses.all.contains("::1") { return }
        let port = try #require(MachineAddresses.freePort(0, at: address))
        #expect((1024...65535).contains(port))
        #expect(MachineAddresses.freePort(port, at: address) == port)
        let held = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(
            host: address, port: port
        ).get()
        #expect(MachineAddresses.freePort(port, at: address) == nil)
        try await held.close()
    }

    @Test func `is none at what is no address of this machine, and none that no port is`() {
        for address in ["192.0.2.77", "phone.local", "", "1.2.3"] {
            #expect(MachineAddresses.freePort(0, at: address) == nil)
        }
        #expect(MachineAddresses.freePort(70_000, at: "127.0.0.1") == nil)
    }
}
