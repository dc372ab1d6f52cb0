public import Submit
internal import SubmitTesting

extension WorldErrand.End {
    /// The receipt of a copy that is the item's; `nil` where there is none.
    public var copy: Receipt? {
        // As the journal knows what was skipped.
        guard case .done(let receipt) = self else { return nil }
        return receipt.wasThere && receipt.evidence == .unknown && receipt.note != nil ? nil : receipt
    }
}

extension WorldErrand {
    /// What is broken of the promise that an audit tells what is so, or that it cannot tell.
    ///
    /// - Parameters:
    ///   - away: the same submitter's, of a server that answers nobody.
    ///   - content: what an address of a receipt leads to.
    public func complaints(
        auditing ends: [End?], by presence: any PresenceFacet, whileAway away: any PresenceFacet,
        content: (String) -> [UInt8]?
    ) async -> [String] {
        var complaints: [String] = []
        for (index, (end, source)) in zip(ends, sources).enumerated() {
            guard let receipt = end?.copy else { continue }
            let item = source.item(named: items[index].name)
            for canReadBack in [false, true] {
                let there = content(receipt.remoteID)
                let told =
                    canReadBack
                    ? await presence.presenceReadBack(of: item, receipt: receipt)
                    : await presence.presence(of: item, receipt: receipt)
                // What a server finishes late may come between.
                guard content(receipt.remoteID) == there else { continue }
                let isTrue =
                    switch told {
                    case .unknown: true
                    // It may say so too of what is another.
                    case .absent: there != source.content
                    case .changed: there != nil && there != source.content
                    case .present(let evidence):
                        there == source.content
                            || !canReadBack && evidence != .verified && there?.count == source.content.count
                    }
                if !isTrue {
                    let others = there.map { "\($0.count) other bytes are" } ?? "nothing is"
                    let what = there == source.content ? "it is there" : others
                    complaints.append("an audit says \(told) of \(String(reflecting: receipt.remoteID)), where \(what)")
                }
            }
            let told = await away.presence(of: item, receipt: receipt)
            guard case .unknown = told else {
                complaints.append(
                    "an audit says \(told) of \(String(reflecting: receipt.remoteID)), and the server is away")
                continue
            }
        }
        return complaints
    }
}
