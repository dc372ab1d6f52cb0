internal import ArgumentParser

/// `submit`: the root of all verbs. Without a verb it sends.
struct SubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "One photo, every destination, proven.",
        usage: """
            submit [--to DESTINATION,...] [OPTIONS] PATH...
            submit VERB ...
            """,
        discussion: """
            Sends photos and videos to several destinations side by side, and writes down beforehand what goes to \
            each. What is interrupted goes on with `submit resume`. `submit send --help` shows the options of sending.

            Examples:
              submit setup
              submit --to nas,cloud ~/Pictures
              submit card

            Exit codes: 0 all done; 1 some failed; 2 usage, configuration or journal; 3 some still wait; \
            4 some were cancelled; 5 some of what was named was left behind; \
            74 done, but the output could not be written; 130 interrupted.
            """,
        version: ProgramVersion.text,
        subcommands: [
            Send.self, PreviewVerb.self, Card.self, WatchVerb.self, ReceiveGroup.self, Status.self, List.self,
            History.self, Resume.self,
            Retry.self,
            Pause.self,
            Limit.self, Cancel.self,
            Feed.self, Query.self, Describe.self, Forget.self, CatalogueGroup.self,
            Audit.self, Repair.self, Link.self, Cleanup.self,
            Login.self, Logout.self, Whoami.self, Secrets.self,
            Setup.self, Destinations.self, Types.self, Recipes.self, Contract.self, NewSubmitter.self,
            JournalGroup.self,
            ServiceVerb.self, Doctor.self, Completions.self, Version.self,
        ],
        defaultSubcommand: Send.self)
}
