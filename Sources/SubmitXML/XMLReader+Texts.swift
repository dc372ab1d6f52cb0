extension XMLReader {
    /// The texts and attributes of a document by their paths, the root's name first: `rsp/photoid`, `rsp/err@code`. Of
    /// several at one path the first counts; namespaces do not.
    ///
    /// - Throws: ``XMLFailure``, and then nothing of the document counts.
    public static func firstValues(
        _ bytes: [UInt8], limits: XMLLimits = XMLLimits()
    ) throws(XMLFailure) -> [String: String] {
        let reader = XMLReader(bytes, limits: limits)
        var values: [String: String] = [:]
        var paths: [String] = []
        var texts: [String] = []
        while let piece = try reader.next() {
            switch piece {
            case .start(let name):
                let path = (paths.last.map { $0 + "/" } ?? "") + name.local
                paths.append(path)
                texts.append("")
                for (attribute, value) in reader.startedAttributes() where values["\(path)@\(attribute.local)"] == nil {
                    values["\(path)@\(attribute.local)"] = value
                }
            case .text(let text): if !texts.isEmpty { texts[texts.count - 1] += text }
            case .end:
                guard let path = paths.popLast(), let text = texts.popLast() else { continue }
                if values[path] == nil { values[path] = text }
            }
        }
        return values
    }

    /// Reads a document whose elements hold either text or elements, as service answers are.
    ///
    /// - Parameter ended: called at the end of each element below the root, with the local names of its path from there
    ///   and its own text. Act on what it was told only when this returns.
    /// - Returns: the root's local name.
    /// - Throws: ``XMLFailure``.
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
