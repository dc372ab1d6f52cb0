package import SystemPackage

/// Where it is durably written down what is waiting, and for whom and what came of it.
///
/// Each verb is one short step: when it returns, what it wrote survives `kill -9` and power loss, and when it throws, nothing of
/// it is there, or all of it where the answer was lost on the way. Then it may be asked for again: a verb that is repeated with
/// the same arguments gives the same answer and changes nothing more, but where it says otherwise.
///
/// Several processes, and several values in one, may use one store. Its clock decides: callers give and get spans of time.
package protocol Store: SharedStore, MachineStore {}

/// The part of a store that several machines can share: what is to be sent where, and what came of it.
package protocol SharedStore: SubmissionLedger, StoreControl, StoreReadings, HistoryStore, CatalogueStore, ChangeFeed {
    /// Tells this store's submissions from those of any other: 12 hexadecimal digits.
    var identity: String { get }
}

/// The part of a store that belongs to one machine alone: its files, what it receives, and what its submitters remember.
package protocol MachineStore: RemovalStore, ReceivingStore, NoteStore {
    /// A folder, which need not be there, for locks between the processes of this computer.
    var locks: FilePath { get }
    /// Its own files, which are no items.
    var ownFiles: [FilePath] { get }
    /// A folder, which need not be there, for what is to be kept as long as something of it is waiting.
    var spool: FilePath { get }
    /// Another one, for renditions, all of which can be made anew.
    var renditions: FilePath { get }
}
