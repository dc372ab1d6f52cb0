extension MachineAddresses {
    /// Binds and lets go. `nil`: it is taken, or may not be; `errno` says why.
    package static func freePort(_ port: Int, at address: String) -> Int? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let host = address == "localhost" ? "127.0.0.1" : address
        // Of a number that is too great the C library takes what fits.
        guard (0...65535).contains(port), getaddrinfo(host, "\(port)", &hints, &found) == 0, let place = found?.pointee
        else {
            errno = EINVAL
            return nil
        }
        defer { freeaddrinfo(found) }
        let socket = socket(place.ai_family, place.ai_socktype | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var yes: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        // A port that somebody listens at can be bound, with its reuse allowed.
        guard bind(socket, place.ai_addr, place.ai_addrlen) == 0, listen(socket, 1) == 0 else { return nil }
        var length = place.ai_addrlen
        var number = [CChar](repeating: 0, count: 8)
        guard getsockname(socket, place.ai_addr, &length) == 0,
            getnameinfo(place.ai_addr, length, nil, 0, &number, socklen_t(number.count), NI_NUMERICSERV) == 0
        else { return nil }
        return Int(String(decoding: number.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
