internal import Submit

/// A copy that a receipt speaks of, or one that a broken submission may have made.
struct LiveCopy: Sendable {
    /// As the submitter saw it, with its scratch name.
    var item: MediaItem
    var bytes: ScriptedBytes
    var submission: String
    var album: String?
    var receipt: Receipt
    /// A receipt said so.
    var isKnown: Bool
    /// It was stored by this run: what is found there and does not bear its name may be somebody's.
    var isOurs: Bool

    /// Where an item of another name would be, by what is seen of this one; `nil` where ids do not hold names.
    func remoteID(ofName name: String, album: String?) -> String? {
        guard let range = receipt.remoteID.range(ofText: item.name) else { return nil }
        let before = receipt.remoteID[..<range.lowerBound] + (album.map { $0 + "/" } ?? "")
        return before + name + receipt.remoteID[range.upperBound...]
    }

    /// The name under which the item is found again: that of the copy, where the id holds it.
    var finalName: String? {
        guard let last = receipt.remoteID.split(separator: "/").last.map(String.init) else { return nil }
        return last == item.name || FileName(last).isNumbered(from: item.name) ? last : nil
    }
}

extension FileName {
    /// Whether this is what ``numbered(_:)`` makes of a name.
    fileprivate func isNumbered(from name: String) -> Bool {
        let original = FileName(name)
        return fileExtension == original.fileExtension && stem.hasPrefix(original.stem + "-")
    }
}

extension String {
    fileprivate func range(ofText text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
