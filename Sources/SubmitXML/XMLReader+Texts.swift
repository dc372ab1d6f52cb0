extension XMLReader {
    /// Reads a document whose elements hold either text or elements, as service answers are.
    ///
    /// - Parameter ended: called at the end of each element below the root, with the local names of its path from there
    ///   and its own text. Act on what it was told only when this returns.
    /// - Returns: the root's local name.
    public static func texts(
        _ bytes: [UInt8], limits: XMLLimits = XMLLimits(), _ ended: (_ path: [String], _ text: String) -> Void
    ) throws(XMLFailure) -> String {
        let reader = XMLReader(bytes, limits: limits)
        var root: String?
        var path: [String] = []
        var texts: [String] = []
        while let piece = try reader.next() {
            switch piece {
            case .start(let name):
                if root == nil { root = name.local } else { path.append(name.local) }
                texts.append("")
            case .text(let text): if !texts.isEmpty { texts[texts.count - 1] += text }
            case .end:
                let text = texts.removeLast()
                if path.isEmpty { continue }
                ended(path, text)
                path.removeLast()
            }
        }
        return root ?? ""
    }
}
