internal import Submit

/// What can be said of pictures or sounds without decoding them.
enum ScannedMovieCodec {
    case units(ScannedCodedUnits), av1, jpeg, mpeg4, proRes
    /// Nothing but where they end.
    case opaque

    /// Goes through one picture.
    mutating func check(_ picture: Range<Int64>, in data: inout ScannedCodedData) throws(SubmitFailure) {
        if case .units(var units) = self {
            try units.check(picture, in: &data)
            self = .units(units)
            return
        }
        if case .av1 = self { return try ScannedCodedAV1().check(picture, in: &data) }
        guard picture.upperBound - picture.lowerBound <= 16 << 20 else {
            return data.found.add("a picture that is too long to be checked", at: picture.lowerBound)
        }
        let bytes = try data.bytes(in: picture)
        switch self {
        case .jpeg:
            let traces = try ScannedJPEG.traces(inFrame: bytes)
            for trace in traces.list { data.found.add(trace.what, at: picture.lowerBound + trace.offset) }
        case .mpeg4:
            if let trouble = Self.trouble(inMPEG4: bytes) { data.found.add(trouble, at: picture.lowerBound) }
        // SMPTE RDD 36, 5.1: its length, its name, and nothing behind it.
        case .proRes:
            if bytes.number(at: 0, width: 4, isBigEndian: true) != UInt64(bytes.count)
                || !bytes.dropFirst(4).starts(with: "icpf".utf8)
            {
                data.found.add("a picture that cannot be read", at: picture.lowerBound)
            }
        case .units, .av1, .opaque: break
        }
    }

    /// ISO/IEC 14496-2, 6.2.2: user data goes from its start code to the next one.
    static func trouble(inMPEG4 bytes: [UInt8]) -> String? {
        var (place, isUser) = (0, false)
        while place < bytes.count {
            if bytes[place] == 0, bytes.count - place > 3, bytes[place + 1] == 0, bytes[place + 2] == 1 {
                isUser = bytes[place + 3] == 0xb2
                place += 4
            } else {
                if isUser, bytes[place] != 0xff { return "data of a program or camera among the pictures" }
                place += 1
            }
        }
        return nil
    }
}
