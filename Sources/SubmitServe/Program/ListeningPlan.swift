internal import Foundation
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
        var addresses: [String]
        if order.listensEverywhere {
            let outgoing = MachineAddresses.outgoing
            let others = MachineAddresses.all.filter { $0 != outgoing && !MachineAddresses.isLoopback($0) }
            addresses = (outgoing.map { [$0] } ?? []) + others
            if addresses.isEmpty { addresses = ["127.0.0.1"] }
            address = "0.0.0.0"
        } else {
            address = order.address ?? MachineAddresses.outgoing ?? "127.0.0.1"
            guard MachineAddresses.bytes(of: address) != nil || address == "localhost" else {
                throw .usage("--bind takes an address of this machine, such as 192.168.1.5; --any takes all.")
            }
            addresses = [address]
        }
        if order.allowsPlainHTTP, let open = addresses.first(where: MachineAddresses.isPublic) {
            throw .usage(
                "\(open) can be reached from the whole internet, where anyone could read along: leave --insecure-http out, or take --bind with an address of your own network."
            )
        }
        let own = MachineAddresses.names
        names = addresses + own + (MachineAddresses.isLoopback(address) || order.listensEverywhere ? ["127.0.0.1"] : [])
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
            // Whatever is wrong with the two is to be told before anybody calls.
            _ = try NIOSSLContext(configuration: configuration)
            security = configuration
        } catch {
            throw .usage("The certificate and the key cannot be used together (\(error)): check --cert and --key.")
        }
        fingerprint = OwnCertificate.fingerprint(ofPEM: certificate)
    }

    private static func texts(
        _ order: ReceiveOrder, _ places: AppPaths, _ names: [String]
    ) throws(SubmitFailure) -> (certificate: String, key: String) {
        if let certificate = order.certificate, let key = order.key {
            return (try text(certificate), try text(key))
        }
        do {
            let own = try OwnCertificate.find(in: places.receiving, covering: names)
            return (own.certificate, own.key)
        } catch {
            throw .usage(
                "The certificate cannot be kept in \(places.receiving) (\(error)): make room there, or give one by --cert and --key."
            )
        }
    }

    private static func text(_ path: String) throws(SubmitFailure) -> String {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            guard let bytes = try WholeFile.bytes(of: file, most: 1 << 20) else { throw Errno.fileTooLarge }
            return String(decoding: bytes, as: UTF8.self)
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
            guard let port = free(asked, at: address) else {
                throw .usage(
                    "Port \(asked) cannot be listened at on \(address) (\(Errno(rawValue: errno))): take another, or none."
                )
            }
            return port
        }
        let text = (try? String(contentsOfFile: place.string, encoding: .utf8))?.trimmed.filter { $0 != "\n" }
        if let before = text.flatMap({ Int($0) }), (1024...65535).contains(before), let port = free(before, at: address)
        {
            return port
        }
        guard let port = free(0, at: address) else {
            throw .usage(
                "Nothing can be listened at on \(address) (\(Errno(rawValue: errno))): --bind takes an address of this machine."
            )
        }
        // Another time it is only another port.
        try? PrivateFile.write("\(port)\n", to: place)
        return port
    }

    /// Binds and lets go. `nil`: it is taken, or may not be.
    private static func free(_ port: Int, at address: String) -> Int? {
        let isSix = address.contains(":")
        let socket = socket(isSix ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var yes: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let bytes = MachineAddresses.bytes(of: address == "localhost" ? "127.0.0.1" : address) ?? []
        guard bytes.count == (isSix ? 16 : 4), let number = in_port_t(exactly: port) else {
            errno = EINVAL
            return nil
        }
        var storage = sockaddr_storage()
        let size: Int
        if isSix {
            size = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { raw in
                let six = raw.baseAddress!.assumingMemoryBound(to: sockaddr_in6.self)
                six.pointee.sin6_family = sa_family_t(AF_INET6)
                six.pointee.sin6_port = number.bigEndian
                withUnsafeMutableBytes(of: &six.pointee.sin6_addr) { $0.copyBytes(from: bytes) }
            }
        } else {
            size = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { raw in
                let four = raw.baseAddress!.assumingMemoryBound(to: sockaddr_in.self)
                four.pointee.sin_family = sa_family_t(AF_INET)
                four.pointee.sin_port = number.bigEndian
                withUnsafeMutableBytes(of: &four.pointee.sin_addr) { $0.copyBytes(from: bytes) }
            }
        }
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(socket, address, socklen_t(size)) == 0 else { return nil }
                // A port that somebody listens at can be bound, with its reuse allowed.
                guard listen(socket, 1) == 0 else { return nil }
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                guard getsockname(socket, address, &length) == 0 else { return nil }
                return isSix
                    ? address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                        Int(in_port_t(bigEndian: $0.pointee.sin6_port))
                    }
                    : address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        Int(in_port_t(bigEndian: $0.pointee.sin_port))
                    }
            }
        }
    }
}
