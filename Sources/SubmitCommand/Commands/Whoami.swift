internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit whoami`
struct Whoami: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Ask destinations whose credentials are in use there.")

    @Argument(
        help: "Destinations. Without: all configured ones where people can sign in.")
    var names: [String] = []

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let catalog = try Session.catalog()
        var isFine = true
        var wanted = try names.splitAtCommas.map { name throws(SubmitFailure) in try catalog.canonicalName(name) }
        if wanted.isEmpty {
            wanted = catalog.names.filter { name in
                catalog.isConfigured(name) && (try? catalog.destination(name))?.submitter.facets.login != nil
            }
            if wanted.isEmpty, !json {
                Output.line(
                    "There is no configured destination where people can sign in.")
            }
        }
        for name in wanted {
            do throws(SubmitFailure) {
                tell(name, try await LoginStore(name, catalog).facet.whoami()?.withoutSecrets)
            } catch {
                isFine = false
                ErrorReport.tell(
                    error, about: ["event": "whoami", "destination": name, "signed_in": false])
            }
        }
        if !isFine { throw ExitStatus.failed }
    }

    private func tell(_ name: String, _ account: LoginAccount?) {
        let id = account?.id == account?.name ? nil : account?.id
        if json {
            var object: [String: Any] = ["event": "whoami", "destination": name]
            // Where it has no way to tell, it has not refused us either.
            if account != nil { object["signed_in"] = true }
            object["account"] = account?.name
            object["id"] = id
            return JSONOutput.print(object)
        }
        guard let account else {
            return Output.line(
                Printable.line(
                    "\(name): it has no way to tell whose credentials these are; `submit destinations check \(name)` tries "
                        + "them."))
        }
        Output.line(Printable.line("\(name): \(account.name)\(id.map { " (\($0))" } ?? "")"))
    }
}
