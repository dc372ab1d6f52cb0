public import Submit

extension SubmitFailure {
    /// The store failed, and not what was to be done: it cannot be read or written. Its code begins with `journal`.
    public var isOfJournal: Bool { code == "journal" || code.hasPrefix("journal-") }
}
