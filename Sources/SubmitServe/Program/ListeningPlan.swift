internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import Submit
internal import SubmitConfiguration
internal import SubmitPlatform
internal import SystemPackage

/// Where and how it is listened, decided before anything is begun.
struct ListeningPlan: Sendable {
    /// What the socket is bound to.
    let address: String
    let port: Int
    /// The addresses that are shown, the best one first.
    let shown: [String]
    /// By which we may be called.
    let names: [String]
    /// `nil`: plain HTTP.
    let security: TLSConfiguration?
    let fingerprint: [UInt8]?

    var isSecure: Bool { security != nil }

    init(_ order: ReceiveOrder, _ places: AppPaths) throws(SubmitFailure) {
        let addresses: [String]
        (address, addresses) = try Self.addresses(order, MachineAddresses.all, outgoing: MachineAddresses.outgoing)
        let own = MachineAddresses.names
        names =
            addresses + own
            + (MachineAddresses.isLoopback(address) || MachineAddresses.isUnspecified(address) ? ["127.0.0.1"] : [])
        shown = addresses
        port = try FreePort.find(order.port, at: address, rememberedIn: places.receiving.appending("port"))
        if order.allowsPlainHTTP {
            (security, fingerprint) = (nil, nil)
            return
        }
        let (certificate, key) = try Self.texts(order, places, names)
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let own = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(own))
            configuration.minimumTLSVersion = .tlsv12
            // Browsers do not say that they have heard that this ends.
            configuration.shutdownTimeout = .milliseconds(500)
            // Whatever is wrong with the two is to be told before anybody calls.
            _ = try NIOSSLContext(configuration: configuration)
            security = configuration
        } catch {
            throw .usage("The certificate and the key cannot be used together (\(error)): check --cert and --key.")
        }
        fingerprint = OwnCertificate.fingerprint(ofPEM: certificate)
    }

    /// What is bound to, and the addresses by which that is reached, the best one first.
    ///
    /// - Parameter machine: this machine's addresses, loopback included.
    /// - Throws: for what is no address, and for plain HTTP that the whole internet could reach.
    static func addresses(
        _ order: ReceiveOrder, _ machine: [String], outgoing: String?
    ) throws(SubmitFailure) -> (bound: String, reached: [String]) {
        let asked = order.address
        var bound = asked ?? outgoing ?? "127.0.0.1"
        guard MachineAddresses.bytes(of: bound) != nil || bound == "localhost" else {
            throw .usage("--bind takes an address of this machine, such as 192.168.1.5; --any takes all.")
        }
        var reached = [bound]
        if order.listensEverywhere || MachineAddresses.isUnspecified(bound) {
            let others = machine.filter { $0 != outgoing && !MachineAddresses.isLoopback($0) }
            reached = (outgoing.map { [$0] } ?? []) + others
            // A socket for IPv4 is for no other; one that was asked for at “::” takes both.
            let four = reached.filter { !$0.contains(":") }
            let isForBoth = !order.listensEverywhere && bound.contains(":")
            bound = isForBoth || four.isEmpty && !reached.isEmpty ? "::" : "0.0.0.0"
            if !isForBoth, !four.isEmpty { reached = four }
            if reached.isEmpty { reached = ["127.0.0.1"] }
        }
        if order.allowsPlainHTTP, let open = reached.first(where: MachineAddresses.isPublic) {
            throw .usage(
                "\(open) can be reached from the whole internet, where anyone could read along: leave --insecure-http out, or take --bind with an address of your own network."
            )
        }
        return (bound, reached)
    }

    private static func texts(
        _ order: ReceiveOrder, _ places: AppPaths, _ names: [String]
    ) throws(SubmitFailure) -> (certificate: String, key: String) {
        if let certificate = order.certificate, let key = order.key {
            return (try text(certificate), try text(key, isKey: true))
        }
        do {
            let own = try OwnCertificate.find(in: places.receiving, covering: names)
            return (own.certificate, own.key)
        } catch let failure as SubmitFailure {
            throw failure
        } catch {
            throw .usage(
                "The certificate cannot be kept in \(places.receiving) (\(error)): make room there, or give one by --cert and --key."
            )
        }
    }

    private static func text(_ path: String, isKey: Bool = false) throws(SubmitFailure) -> String {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            if isKey, let complaint = FileTrust.complaint(aboutKey: file) {
                throw SubmitFailure.usage("The key “\(path)” is not used: \(complaint).")
            }
            guard let bytes = try WholeFile.bytes(of: file, most: 1 << 20) else { throw Errno.fileTooLarge }
            return String(decoding: bytes, as: UTF8.self)
        } catch let failure as SubmitFailure {
            throw failure
        } catch {
            throw .usage("“\(path)” cannot be read (\(error)): check its name and its permissions.")
        }
    }

    /// Such as `https://192.168.1.5:8123`.
    func origin(_ address: String) -> String {
        let host = address.contains(":") ? "[\(address)]" : address
        let usual = isSecure ? 443 : 80
        return "\(isSecure ? "https" : "http")://\(host)" + (port == usual ? "" : ":\(port)")
    }

    /// Groups of digits, as browsers show them.
    var fingerprintText: String? {
        fingerprint.map { $0.map { Hexadecimal.text(of: [$0]).uppercased() }.joined(separator: ":") }
    }
}

/// A port to listen at: the one of the last time wherever that can be, as pages that are open know that one.
enum FreePort {
    static func find(_ asked: Int?, at address: String, rememberedIn place: FilePath) throws(SubmitFailure) -> Int {
        if let asked {
            guard let port = MachineAddresses.freePort(asked, at: address) else {
                throw .usage(
                    "Port \(asked) cannot be listened at on \(address) (\(Errno(rawValue: errno))): take another, or none."
                )
            }
            return port
        }
        let text = (try? String(contentsOfFile: place.string, encoding: .utf8))?.trimmed.filter { $0 != "\n" }
        if let before = text.flatMap({ Int($0) }), (1024...65535).contains(before),
            let port = MachineAddresses.freePort(before, at: address)
        {
            return port
        }
        guard let port = MachineAddresses.freePort(0, at: address) else {
            throw .usage(
                "Nothing can be listened at on \(address) (\(Errno(rawValue: errno))): --bind takes an address of this machine."
            )
        }
        // Another time it is only another port.
        try? PrivateFile.write("\(port)\n", to: place)
        return port
    }
}
