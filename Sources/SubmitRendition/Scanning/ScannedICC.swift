/// A colour profile: its header, a table of tags, and what they point to (ICC.1:2022, chapter 7).
///
/// Profiles of a display tell more than its colours: serial numbers, the computer's name. Only tags that a picture's
/// colours need, and texts about the profile, are known to tell nothing; the texts are searched for words of metadata.
struct ScannedICC {
    /// What a picture's colours need, and what says who made the profile.
    private static let tags: Set<String> = [
        "A2B0", "A2B1", "A2B2", "A2B3", "B2A0", "B2A1", "B2A2", "B2A3", "D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1",
        "B2D2", "B2D3", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "wtpt", "bkpt", "chad", "chrm", "clro",
        "clrt", "clot", "ciis", "cicp", "cprt", "desc", "dmnd", "dmdd", "gamt", "lumi", "meas", "pre0", "pre1", "pre2",
        "rig0", "rig2", "resp", "targ", "tech", "view", "vued", "calt", "dscm", "vcgt", "ndin", "aarg", "aagg", "aabg",
        "aapy",
    ]
    private static let texts: Set<String> = ["text", "desc", "mluc"]
    /// Numbers, most of them tables of colours.
    private static let numbers: Set<String> = [
        "XYZ ", "curv", "para", "sf32", "mft1", "mft2", "mAB ", "mBA ", "mpet", "sig ", "dtim", "meas", "view", "chrm",
        "clro", "clrt", "vcgt", "ndin", "cicp",
    ]

    static func traces(in profile: [UInt8], at offset: Int64) -> FoundTraces {
        var found = FoundTraces()
        guard profile.count >= 132, profile.number(at: 0, width: 4, isBigEndian: true) == UInt64(profile.count),
            profile[36..<40].elementsEqual("acsp".utf8),
            let count = profile.number(at: 128, width: 4, isBigEndian: true),
            count <= 100, 132 + Int(count) * 12 <= profile.count
        else {
            found.add("a colour profile that cannot be read", at: offset)
            return found
        }
        if profile[100..<128].contains(where: { $0 != 0 }) {
            found.add("bytes in a colour profile that belong to nothing", at: offset)
        }
        var used = [0..<132 + Int(count) * 12]
        var seen: Set<String> = []
        for entry in stride(from: 132, to: 132 + Int(count) * 12, by: 12) {
            let name = String(decoding: profile[entry..<entry + 4], as: UTF8.self)
            guard tags.contains(name), seen.insert(name).inserted else {
                found.add("a part of a colour profile that is not known to tell nothing", at: offset)
                continue
            }
            guard let start = profile.number(at: entry + 4, width: 4, isBigEndian: true).map(Int.init),
                let size = profile.number(at: entry + 8, width: 4, isBigEndian: true).map(Int.init),
                size >= 8, start + size <= profile.count
            else {
                found.add("a colour profile that cannot be read", at: offset)
                continue
            }
            used.append(start..<start + size)
            check(profile[start..<start + size], at: offset, &found)
        }
        for trace in TellingWords.tracesOfLongWords(in: profile, at: offset).list {
            found.add("\(trace.what) in a colour profile", at: offset)
        }
        checkUse(used, of: profile, at: offset, &found)
        return found
    }

    private static func check(_ tag: ArraySlice<UInt8>, at offset: Int64, _ found: inout FoundTraces) {
        let type = String(decoding: tag.prefix(4), as: UTF8.self)
        if texts.contains(type) {
            // All tags together may point to the same text: without a limit, that is much to search.
            guard tag.count <= 64 << 10 else { return found.add("a long text in a colour profile", at: offset) }
            // Without zeros, text of two bytes a character reads like any other.
            for bytes in [Array(tag), tag.filter { $0 != 0 }] {
                for trace in TellingWords.traces(in: bytes, at: offset).list {
                    found.add("\(trace.what) in a colour profile", at: offset)
                }
            }
            return
        }
        let isRight =
            switch type {
            case "XYZ ", "dtim": tag.count == 20
            case "curv":
                Array(tag.prefix(12)).number(at: 8, width: 4, isBigEndian: true)
                    .map { 12 + Int($0) * 2...15 + Int($0) * 2 ~= tag.count } ?? false
            case "sf32": tag.count == 44
            case "para": tag.count <= 40
            case "sig ": tag.count == 12
            default: numbers.contains(type)
            }
        if !isRight { found.add("a part of a colour profile that is not known to tell nothing", at: offset) }
    }

    /// Tags may share what they point to; nothing may be there that none points to.
    private static func checkUse(
        _ used: [Range<Int>], of profile: [UInt8], at offset: Int64, _ found: inout FoundTraces
    ) {
        var end = 0
        let ends = used.sorted { $0.lowerBound < $1.lowerBound } + [profile.count..<profile.count]
        for range in ends {
            if range.lowerBound > end {
                let gap = profile[end..<range.lowerBound]
                if gap.count > 3 || gap.contains(where: { $0 != 0 }) {
                    return found.add("bytes in a colour profile that belong to nothing", at: offset)
                }
            }
            end = max(end, range.upperBound)
        }
    }
}
