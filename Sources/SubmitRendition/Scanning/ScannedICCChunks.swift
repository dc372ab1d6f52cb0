/// The pieces of a colour profile in a JPEG file (ICC.1:2022, annex B.4): numbered from 1, with their number in each.
struct ScannedICCChunks {
    private var pieces: [UInt8: [UInt8]] = [:]
    private var count: UInt8?
    private var start: Int64 = 0

    mutating func add(_ payload: [UInt8], at offset: Int64, _ found: inout FoundTraces) {
        guard payload.count > 14, payload[12] > 0, payload[12] <= payload[13], count == nil || count == payload[13],
            pieces.updateValue(Array(payload.dropFirst(14)), forKey: payload[12]) == nil
        else { return found.add("a colour profile that cannot be read", at: offset) }
        if count == nil { start = offset }
        count = payload[13]
    }

    func check(_ found: inout FoundTraces) {
        guard let count else { return }
        guard pieces.count == Int(count) else { return found.add("a colour profile that cannot be read", at: start) }
        found.add(ScannedICC.traces(in: (1...count).flatMap { pieces[$0] ?? [] }, at: start))
    }
}
