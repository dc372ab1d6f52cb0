internal import SubmitHTTP

extension HTTPResponse {
    /// An answer as it goes over the line where the bytes begin like one, and else the body of one.
    init(fuzzed bytes: [UInt8]) {
        self.init(status: 200, body: bytes)
        guard bytes.starts(with: "HTTP/1.1 ".utf8) else { return }
        var rest = bytes[...]
        body = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            // A header cannot have a line's end in it: libcurl would not hand one out.
            let line = String(decoding: rest[..<end], as: UTF8.self).filter { $0 != "\r" && $0 != "\0" }
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                headers.append((String(line[..<colon]), String(value)))
            } else {
                status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 200
            }
        }
        body = Array(rest)
    }

    var fuzzedValues: [String] { headers.map(\.value) }
}

extension String {
    /// Nothing that ends a header's line or is no character to be seen.
    var isHeaderSafe: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}
