extension DestinationSettings {
    /// One of the words of a kind.
    ///
    /// - Returns: `nil` if it is not set.
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, for another word, with those there are.
    public func choice<Word: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(SubmitFailure) -> Word? where Word.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue)
            let hint = NearestNames.hint(for: text, among: words)
            throw invalid(name, "must be one of \(words.joined(separator: ", ")), not “\(text)”\(hint)")
        }
        return word
    }

    /// A number of bytes up to 5 GiB: `64KiB`, `16M`, `1GiB`.
    ///
    /// - Returns: bytes; `nil` if it is not set.
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, with the setting's name, for anything else.
    public func size(_ name: String) throws(SubmitFailure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let size = SizeText.bytes(of: text, in: 1...5 << 30) else {
            throw invalid(name, "must be a size up to 5GiB such as 64KiB or 16MiB, not “\(text)”")
        }
        return size
    }

    /// Where items go below a destination's root; ``PathTemplate/usual`` if it is not set.
    ///
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, with the setting's name, and what is wrong with it.
    public func template(_ name: String) throws(SubmitFailure) -> PathTemplate {
        do throws(SubmitFailure) {
            return try PathTemplate(self[name] ?? PathTemplate.usual)
        } catch {
            // Both are sentences.
            throw invalid(name, "cannot be used: \(error.message.dropLast())")
        }
    }

    /// The parts of a relative path, such as `photos/phone`; slashes at its ends do not count.
    ///
    /// - Returns: none if it is not set.
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, with the setting's name, for an empty, `.` or `..` part.
    public func pathParts(_ name: String) throws(SubmitFailure) -> [String] {
        var path = Substring(self[name] ?? "")
        while path.hasPrefix("/") { path.removeFirst() }
        while path.hasSuffix("/") { path.removeLast() }
        guard let parts = path.isEmpty ? [] : PathNames.plain(path) else {
            throw invalid(name, "must have no empty, “.” or “..” part, not “\(path)”")
        }
        return parts
    }
}
