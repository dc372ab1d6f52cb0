public import SubmitJournal

extension SubmitManager {
    /// A manager of what is written down in a journal.
    ///
    /// - Parameters:
    ///   - journal: this manager's own value: another manager opens the file once more, in this process too, as each hears
    ///     only what is written through another value.
    ///   - registry: the types there are.
    ///   - policy: what comes after failures.
    public convenience init(journal: Journal, registry: SubmitterRegistry, policy: RetryPolicy = RetryPolicy()) {
        self.init(store: journal, registry: registry, policy: policy)
    }
}
