internal import Crypto
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SwiftASN1
internal import SystemPackage
internal import X509
internal import SubmitPlatform

/// The certificate that we sign ourselves. It lasts, so that whoever trusted it once is not asked again.
struct OwnCertificate: Sendable {
    /// In PEM.
    let certificate: String
    let key: String
    /// SHA-256 of its DER.
    let fingerprint: [UInt8]

    private static let lifetime = TimeInterval(397 * 86_400)
    /// A new one comes while the old one still holds.
    private static let reserve = TimeInterval(7 * 86_400)

    /// The one that lies in the folder, where it covers all `names` and holds for a while; or else a new one with the same
    /// key, which covers what the old one did, too.
    static func find(in folder: FilePath, covering names: [String], now: Date = Date()) throws -> OwnCertificate {
        let (place, keyPlace) = (folder.appending("certificate.pem"), folder.appending("key.pem"))
        var covered: [String] = []
        var key: P256.Signing.PrivateKey?
        if let complaint = FileTrust.complaint(aboutKey: keyPlace) {
            throw SubmitFailure.usage(
                "The key “\(keyPlace)” is not used: \(complaint). If others may have read it, delete it: submit makes a new one."
            )
        }
        if let text = read(keyPlace) { key = try? P256.Signing.PrivateKey(pemRepresentation: text) }
        if let key, let text = read(place), let old = try? Certificate(pemEncoded: text),
            old.publicKey == Certificate.PrivateKey(key).publicKey
        {
            covered = self.names(of: old)
            let holds = old.notValidBefore <= now && old.notValidAfter > now.addingTimeInterval(reserve)
            if holds, Set(covered).isSuperset(of: names) { return try OwnCertificate(old, key) }
        }
        let own = key ?? P256.Signing.PrivateKey()
        if key == nil { try PrivateFile.write(own.pemRepresentation + "\n", to: keyPlace) }
        let all = names + covered.filter { !names.contains($0) }
        let fresh = try make(Array(all.prefix(40)), own, now)
        try PrivateFile.write(fresh.serializeAsPEM().pemString + "\n", to: place)
        return try OwnCertificate(fresh, own)
    }

    private init(_ certificate: Certificate, _ key: P256.Signing.PrivateKey) throws {
        self.certificate = try certificate.serializeAsPEM().pemString
        self.key = key.pemRepresentation
        fingerprint = try Self.fingerprint(of: certificate)
    }

    private static func fingerprint(of certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Array(SHA256.hash(data: serializer.serializedBytes))
    }

    /// Of the first certificate in a file.
    static func fingerprint(ofPEM text: String) -> [UInt8]? {
        (try? Certificate(pemEncoded: text)).flatMap { try? fingerprint(of: $0) }
    }

    private static func make(_ names: [String], _ key: P256.Signing.PrivateKey, _ now: Date) throws -> Certificate {
        let subject = try DistinguishedName { CommonName("submit receive") }
        let signing = Certificate.PrivateKey(key)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: signing.publicKey,
            // Clocks of phones may be behind.
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(lifetime),
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(generalName))
            }, issuerPrivateKey: signing)
    }

    private static func generalName(_ name: String) -> GeneralName {
        guard let bytes = MachineAddresses.bytes(of: name) else { return .dnsName(name) }
        return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    private static func names(of certificate: Certificate) -> [String] {
        let names = (try? certificate.extensions.subjectAlternativeNames) ?? nil
        return (names ?? SubjectAlternativeNames()).compactMap { name in
            switch name {
            case .dnsName(let text): text
            case .ipAddress(let octets): MachineAddresses.text(of: Array(octets.bytes))
            default: nil
            }
        }
    }

    private static func read(_ path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) else { return nil }
        defer { try? file.close() }
        return (try? WholeFile.bytes(of: file, most: 64 << 10)).flatMap { $0 }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
