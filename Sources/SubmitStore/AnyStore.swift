/// A store for a manager to work on, such as `Journal.store` of the module `SubmitJournal`.
///
/// What a store can do is up to the modules of this package.
public struct AnyStore: Sendable {
    package let store: any Store
    /// The version of the tables that were migrated when the store was opened; `nil` if none were.
    package let migratedFrom: Int?

    package init(_ store: any Store, migratedFrom: Int? = nil) {
        self.store = store
        self.migratedFrom = migratedFrom
    }
}
