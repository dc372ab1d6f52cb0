internal import ArgumentParser

/// `submit journal`: backup, check and prune.
struct JournalGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Back up the journal, check it, and forget what is long over.",
        subcommands: [BackUpJournal.self, CheckJournal.self, PruneJournal.self])
}
