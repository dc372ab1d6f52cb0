internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitPluginHost
internal import SystemPackage

/// `submit types`
struct Types: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "List the types of destinations; of those named, what each can do, and its settings.",
        discussion: """
            Types are built in, or programs called submit-to-TYPE in ~/.local/share/submit/plugins, beside submit, or on \
            PATH. Each program is started to be asked what it is.
            """)

    @Argument(
        help: ArgumentHelp("Types to tell all of; without: a line for each there is.", valueName: "type"),
        completion: Completed.type)
    var names: [String] = []

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        let types = try Session.catalog().types
        guard names.isEmpty else {
            // All are looked up before any is told.
            let chosen = try names.map { name throws(SubmitFailure) in try types.type(named: name) }
            return chosen.forEach(show)
        }
        var isFine = true
        for type in types.builtIn { show(type) }
        for program in types.external {
            do throws(SubmitFailure) {
                show(try types.type(of: program))
            } catch {
                isFine = false
                ErrorReport.tell(error, about: ["type": program.name, "origin": program.path.string])
            }
        }
        for (program, reason) in types.unused {
            ErrorReport.tell(
                code: "untrusted", reason, about: ["type": program.name, "origin": program.path.string])
        }
        if !json { Output.line("`submit types NAME` tells what one can do, and its settings.") }
        if !isFine { throw ExitStatus.failed }
    }

    private func show(_ type: SubmitterType) {
        if json {
            JSONOutput.print([
                "type": type.name, "aliases": type.aliases, "summary": type.summary, "origin": type.origin,
                "capabilities": JSONOutput.object(type.capabilities),
                "settings": type.settings.map(Self.object),
            ])
        } else {
            tell(type)
        }
    }

    private static func object(_ key: SettingKey) -> [String: Any] {
        var object: [String: Any] = [
            "name": key.name, "summary": key.summary, "required": key.isRequired, "secret": key.kind == .secret,
            "environment": key.environment,
        ]
        if case .choice(let words) = key.kind { object["values"] = words }
        return object
    }

    private func tell(_ type: SubmitterType) {
        if names.isEmpty {
            let aliases = type.aliases.isEmpty ? "" : " (\(type.aliases.joined(separator: ", ")))"
            return Output.line(
                Terminal.styled(Printable.fit(type.name, 16), .strong) + " "
                    + Printable.line("\(type.summary)\(aliases)"))
        }
        let aliases = type.aliases.isEmpty ? "" : " (also \(type.aliases.joined(separator: ", ")))"
        let origin = Printable.line(type.origin)
        Output.line("\(Terminal.styled(type.name, .strong))\(aliases): \(Printable.line(type.summary)) [\(origin)]")
        Output.line("  \(facts(type.capabilities).joined(separator: "; "))")
        for key in type.settings {
            var remarks: [String] = []
            if key.isRequired { remarks.append("required") }
            if key.kind == .secret { remarks.append("secret") }
            if case .choice(let words) = key.kind { remarks.append(words.joined(separator: " | ")) }
            remarks += key.environment.map { "$\($0)" }
            let remark = remarks.isEmpty ? "" : " [\(remarks.joined(separator: ", "))]"
            Output.line(Printable.line("  \(key.name): \(key.summary)\(remark)"))
        }
    }

    private func facts(_ facts: Capabilities) -> [String] {
        var words = [facts.ordering == .sequential ? "one at a time" : "up to \(facts.ordering.width) at once"]
        words.append(
            facts.kinds.map { "\($0)s" }.sorted().joined(separator: ", ").replacing("others", with: "other files"))
        for (kind, limit) in facts.maximumSize.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            words.append("\(kind == .other ? "another file" : "a \(kind)") of at most \(Printable.bytes(limit))")
        }
        if let limit = facts.captionLimit { words.append(limit == 0 ? "no captions" : "captions up to \(limit)") }
        words.append(facts.supportsAlbums ? "albums" : "no albums")
        words.append(facts.canResume ? "resumes in the middle of a file" : "starts a broken file from its beginning")
        if !facts.keepsBytes { words.append("keeps what is said of photos, and no copies") }
        words.append(facts.requiresNetwork ? "needs a network" : "needs no network")
        return words
    }
}
