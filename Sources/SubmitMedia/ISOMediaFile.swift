internal import Submit

/// The ISO base media file format (ISO/IEC 14496-12) and QuickTime, which it grew from.
enum ISOMediaFile {
    static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        if head.number(at: 4, width: 4) == code("ftyp") {
            return branded(head, fileExtension)
        }
        let named = byExtension[fileExtension]
        switch oldQuickTime(head) {
        case true: return named ?? .video("video/quicktime", "mov")
        // Padding alone is no evidence.
        case nil where fileExtension == "qt": return .video("video/quicktime", "mov")
        case nil: return named
        case false: return nil
        }
    }

    /// The major brand decides where it says enough, else the compatible ones in their order.
    private static func branded(_ head: Span<UInt8>, _ fileExtension: String) -> MediaType? {
        guard let size = head.number(at: 0, width: 4), size >= 16, let major = head.number(at: 8, width: 4) else {
            return nil
        }
        var compatible: [UInt64] = []
        for offset in stride(from: 16, to: min(Int(size), head.count), by: 4) {
            if let brand = head.number(at: offset, width: 4) { compatible.append(brand) }
        }
        switch meaning[major] {
        case .type(let type):
            return type
        case .image:
            // A file with a `mini` box has its coding in the version of its brand (ISO/IEC 23008-12, amendment 2).
            for brand in [head.number(at: 12, width: 4) ?? 0] + compatible {
                if case .type(let type) = meaning[brand], type.kind == .photo { return type }
            }
            return .photo("image/heif", "heif")
        case .audio:
            return nil
        case .movie:
            return audioExtensions.contains(fileExtension) ? nil : byExtension[fileExtension] ?? mp4
        case nil where isMobile(major):
            return .video("video/3gpp", "3gp")
        case nil:
            for brand in compatible {
                switch meaning[brand] {
                case .type(let type): return type
                case .image: return .photo("image/heif", "heif")
                case .movie: return audioExtensions.contains(fileExtension) ? nil : byExtension[fileExtension] ?? mp4
                case .audio, nil: continue
                }
            }
            return byExtension[fileExtension]
        }
    }

    private enum Brand {
        case type(MediaType)
        /// Some image: a compatible brand says which.
        case image
        /// Some movie: the extension says which.
        case movie
        case audio
    }

    private static let mp4 = MediaType.video("video/mp4", "mp4")

    /// What brands say. Registered at https://mp4ra.org/registered-types/brands.
    private static let meaning: [UInt64: Brand] = {
        let heic = MediaType.photo("image/heic", "heic")
        let avif = MediaType.photo("image/avif", "avif")
        var table: [UInt64: Brand] = [
            code("crx "): .type(.photo("image/x-canon-cr3", "cr3")),
            code("qt  "): .type(.video("video/quicktime", "mov")),
        ]
        for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"] {
            table[code(brand)] = .type(heic)
        }
        for brand in ["avif", "avis"] { table[code(brand)] = .type(avif) }
        for brand in ["mif1", "mif2", "mif3", "msf1"] { table[code(brand)] = .image }
        for brand in ["M4V ", "M4VH", "M4VP"] { table[code(brand)] = .type(.video("video/x-m4v", "m4v")) }
        for brand in ["3g2a", "3g2b", "3g2c"] { table[code(brand)] = .type(.video("video/3gpp2", "3g2")) }
        for brand in ["M4A ", "M4B ", "M4P ", "F4A ", "F4B "] { table[code(brand)] = .audio }
        for brand in [
            "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1",
            "hvc1", "dash", "mmp4", "MSNV", "XAVC", "F4V ", "f4v ", "NDSC", "NDSH", "NDSM", "NDSP", "NDSS",
        ] {
            table[code(brand)] = .movie
        }
        return table
    }()

    private static let byExtension: [String: MediaType] = [
        "mp4": mp4,
        "mov": .video("video/quicktime", "mov"),
        "m4v": .video("video/x-m4v", "m4v"),
        "3gp": .video("video/3gpp", "3gp"),
        "3g2": .video("video/3gpp2", "3g2"),
    ]

    private static let audioExtensions: Set<String> = ["m4a", "m4b", "m4p"]

    /// 3GPP TS 26.244, clause 5.4: `3gp4`, `3gr6`, `3gs7`, `3ge6`, `3gg6` and their later numbers.
    private static func isMobile(_ brand: UInt64) -> Bool {
        brand >> 16 == 0x3367 && (0x30...0x39).contains(brand & 0xff)
    }

    /// QuickTime before 2001 has no `ftyp`: it begins with one of its other atoms. Padding must be followed by another.
    ///
    /// - Returns: `nil` if padding is all of `head`.
    private static func oldQuickTime(_ head: Span<UInt8>) -> Bool? {
        var offset = 0
        for _ in 0..<8 {
            guard let size = head.number(at: offset, width: 4), let atom = head.number(at: offset + 4, width: 4) else {
                return offset > head.count ? nil : false
            }
            switch atom {
            case code("mdat"): return size == 0 || size == 1 || size >= 8
            case code("moov"): return size >= 16
            case code("wide"), code("free"), code("skip"), code("pnot"):
                guard size >= 8 else { return false }
                offset += Int(size)
            default: return false
            }
        }
        return false
    }

    static func code(_ text: String) -> UInt64 {
        text.utf8.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
