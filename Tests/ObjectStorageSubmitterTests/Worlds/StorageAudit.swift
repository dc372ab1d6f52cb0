import Submit
import SubmitTesting
import TestServers

/// What is asked of any object storage besides.
extension WorldErrand {
    /// What is broken of the promise that nothing but items comes there.
    ///
    /// - Parameter before: what others have.
    func complaints(aboutOthersIn copies: [[UInt8]: [UInt8]], before: [[UInt8]: [UInt8]]) -> [String] {
        let ours = Set(sources.map(\.content))
        return copies.filter { before[$0.key] != $0.value && !ours.contains($0.value) }
            .map {
                "\(String(reflecting: String(decoding: $0.key, as: UTF8.self))) has \($0.value.count) bytes of nobody"
            }
    }

    /// What is broken of the promise that nothing is given up for what passes.
    func complaints(aboutGivingUp ends: [End?]) -> [String] {
        zip(items, ends).compactMap { item, end in
            guard case .failed(let failure) = end, policy != .fail else { return nil }
            return "\(String(reflecting: item.name)) was given up (\(failure.code)): \(failure)"
        }
    }

    /// What is broken of the promise that an audit tells what is there: what is said to be gone is sent again.
    ///
    /// - Parameter content: what an address leads to.
    func complaints(
        auditing ends: [End?], by submitter: any Submitter, content: (String) -> [UInt8]?
    ) async -> [String] {
        guard let facet = submitter.facets.presence else { return ["no audits"] }
        var complaints: [String] = []
        for (index, (end, source)) in zip(ends, sources).enumerated() {
            guard case .done(let receipt) = end, receipt.evidence != .unknown else { continue }
            let item = source.item(named: items[index].name)
            let isThere = content(receipt.remoteID) == source.content
            for presence in [
                await facet.presence(of: item, receipt: receipt),
                await facet.presenceReadBack(of: item, receipt: receipt),
            ] {
                switch presence {
                case .absent, .changed: if !isThere { continue }
                case .present(.verified), .present(.echoed): if isThere { continue }
                default: continue
                }
                complaints.append(
                    "\(String(reflecting: item.name)) is \(presence) to an audit, and is \(isThere ? "" : "not ")there; \(receipt)"
                )
            }
        }
        return complaints
    }
}
