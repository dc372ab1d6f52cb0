/// The addresses of this machine. Where others of the C library's modules are imported, such as NIO's, the members of its structures
/// cannot be relied upon.
package enum MachineAddresses {
    /// All that are up, IPv4 first; not those that only hold on one link.
    package static var all: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [String] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
                let text = text(of: address), !isLinkLocal(text), !found.contains(text)
            else { continue }
            found.append(text)
        }
        return found.filter { !$0.contains(":") } + found.filter { $0.contains(":") }
    }

    /// The one by which others are reached; nothing is sent to find out. `nil` without a network.
    package static var outgoing: String? {
        let socket = socket(AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var there = sockaddr_in()
        there.sin_family = sa_family_t(AF_INET)
        there.sin_port = in_port_t(9).bigEndian
        // An address for documentation: it is everywhere and nowhere.
        inet_pton(AF_INET, "203.0.113.1", &there.sin_addr)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafePointer(to: &there) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) == 0 }
        }
        guard isKnown else { return all.first { !isLoopback($0) } }
        var here = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &here) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &size) == 0 ? text(of: $0) : nil
            }
        }
    }

    /// What this machine calls itself, and by that name on its network.
    package static var names: [String] {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return ["localhost"] }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).lowercased()
        let isName =
            !name.isEmpty && name != "localhost"
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        guard isName else { return ["localhost"] }
        return ["localhost", name] + (name.contains(".") ? [] : ["\(name).local"])
    }

    package static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: &six) { Array($0) } }
        return nil
    }

    /// `nil` for what is none of IPv4.
    package static func number(of text: String) -> in_addr? {
        var four = in_addr()
        return inet_pton(AF_INET, text, &four) == 1 ? four : nil
    }

    package static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil else {
            return nil
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func text(of address: UnsafePointer<sockaddr>) -> String? {
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
                withUnsafeBytes(of: four.pointee.sin_addr) { text(of: Array($0)) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                withUnsafeBytes(of: six.pointee.sin6_addr) { text(of: Array($0)) }
            }
        default: nil
        }
    }

    package static func isLoopback(_ text: String) -> Bool {
        guard let bytes = bytes(of: text) else { return text == "localhost" }
        return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    private static func isLinkLocal(_ text: String) -> Bool {
        guard let bytes = bytes(of: text) else { return false }
        return bytes.count == 4
            ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }

    /// Whether it stands for all addresses of a machine: `0.0.0.0`, `::` or `::ffff:0.0.0.0`.
    package static func isUnspecified(_ text: String) -> Bool {
        guard let bytes = bytes(of: text) else { return false }
        return (mapped(bytes) ?? bytes).allSatisfy { $0 == 0 }
    }

    /// The address of IPv4 that one of IPv6 stands for (RFC 4291, section 2.5.5.2); `nil` for any other.
    private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
            ? Array(bytes[12...]) : nil
    }

    /// Whether the whole internet may reach it: it is in no range that is kept for one's own network.
    package static func isPublic(_ text: String) -> Bool {
        guard let bytes = bytes(of: text) else { return false }
        if let four = mapped(bytes).flatMap({ self.text(of: $0) }) { return isPublic(four) }
        if isLoopback(text) || isLinkLocal(text) { return false }
        if bytes.count == 16 { return bytes[0] & 0xfe != 0xfc && !bytes.allSatisfy { $0 == 0 } }
        return switch (bytes[0], bytes[1]) {
        case (10, _), (192, 168), (0, 0): false
        case (172, let second): !(16...31).contains(second)
        case (100, let second): !(64...127).contains(second)
        default: true
        }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        let lower = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
