internal import ArgumentParser
internal import CLinux
internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitPluginHost
internal import SystemPackage

/// Parses, runs, and turns whatever came of it into an exit code.
@main
enum SubmitMain {
    static func main() async {
        // A reader that went away must not kill an upload.
        signal(SIGPIPE, SIG_IGN)
        submit_hold_standard_streams()
        setlocale(LC_CTYPE, "")
        ProcessLimits.set()
        let status = await run()
        await RunningPrograms.end()
        OpenJournals.carryOver()
        exit(told(status).rawValue)
    }

    /// What was done counts for more than what could not be printed of it. A reader that had enough, such as `head`, is
    /// no trouble.
    private static func told(_ status: ExitStatus) -> ExitStatus {
        Output.flush()
        guard let trouble = Output.trouble, trouble != .brokenPipe else { return status }
        Output.alarm(
            "submit: Not all of the output could be written (\(trouble)): what is missing there was done all the same.")
        return status == .done ? .unwritten : status
    }

    private static func run() async -> ExitStatus {
        do {
            if let name = photoLikeOption {
                throw SubmitFailure.usage("“\(name)” is taken for options: write “./\(name)” if you mean the file.")
            }
            var command = try SubmitCommand.parseAsRoot()
            try CommandLog.begin(
                (command as? any LoggedCommand)?.log ?? LogOptions.parse([]), isJSON: ErrorReport.isJSON)
            if var command = command as? any AsyncParsableCommand {
                try ProcessLimits.check()
                try await command.run()
            } else {
                try command.run()
            }
            return .done
        } catch let status as ExitStatus {
            return status
        } catch let failure as SubmitFailure {
            return complain(failure.code, failure.advised())
        } catch {
            if SubmitCommand.exitCode(for: error) == .success {
                Output.line(SubmitCommand.fullMessage(for: error))
                return .done
            }
            return complainOfUsage(error)
        }
    }

    /// A file whose name begins as options do. None of those has a point in it before a value.
    private static var photoLikeOption: String? {
        CommandLine.arguments.dropFirst().prefix { $0 != "--" }.first { argument in
            argument.hasPrefix("-") && argument.prefix { $0 != "=" }.contains(".")
                && FileManager.default.fileExists(atPath: argument)
        }
    }

    private static func complain(_ code: String, _ sentence: String) -> ExitStatus {
        ErrorReport.tell(code: code, sentence)
        return .usage
    }

    /// Settings of destinations are not options.
    private static func settingHint(_ message: String) -> String? {
        let words = CommandLine.arguments.dropFirst().prefix(2)
        guard words == ["destinations", "add"] || words == ["destinations", "edit"],
            let option = message.firstMatch(of: /Unknown option '--([a-z_-]+)'/)
        else { return nil }
        return " A setting has no dashes: `\(option.1)=VALUE`."
    }

    /// A group runs its default command if no command is named, so that the parser takes a wrong name for an argument.
    private static var wrongCommand: String? {
        let words = CommandLine.arguments.dropFirst().prefix(2).map(\.self)
        guard words.count == 2, !words[1].hasPrefix("-"),
            let group = SubmitCommand.configuration.subcommands.first(where: { $0._commandName == words[0] })
        else { return nil }
        let commands = group.configuration.subcommands
        let names = commands.map { $0._commandName }
        if names.isEmpty || names.contains(words[1]) { return nil }
        if commands.contains(where: { $0.configuration.aliases.contains(words[1]) }) { return nil }
        return
            "“\(words[0])” has no command “\(words[1])”\(NearestNames.hint(for: words[1], among: names)). Its commands are "
            + "\(names.joined(separator: ", "))."
    }

    /// What the parser says, in our style.
    private static func complainOfUsage(_ error: any Error) -> ExitStatus {
        if let wrongCommand { return complain("usage", wrongCommand) }
        let message = SubmitCommand.message(for: error).split(separator: "\n").map { $0.drop { $0 == " " } }
            .joined(separator: "; ")
        let usage = SubmitCommand.fullMessage(for: error).split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
        let isSentence = message.last.map { ".?!".contains($0) } ?? true
        let sentence = (isSentence ? message : message + ".") + (settingHint(message) ?? "")
        ErrorReport.tell(code: "usage", sentence, usage: usage.joined(separator: "\n"))
        return .usage
    }
}
