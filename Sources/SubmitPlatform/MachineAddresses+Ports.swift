extension MachineAddresses {
    /// Binds and lets go. `nil`: it is taken, or may not be.
    package static func freePort(_ port: Int, at address: String) -> Int? {
        let isSix = address.contains(":")
        let socket = socket(isSix ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var yes: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let bytes = Self.bytes(of: address == "localhost" ? "127.0.0.1" : address) ?? []
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
