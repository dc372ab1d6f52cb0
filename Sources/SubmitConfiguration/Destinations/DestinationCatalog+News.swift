internal import Foundation
public import Submit
public import SubmitEngine
public import SubmitNotifications
internal import SubmitPrograms
internal import SystemPackage

extension DestinationCatalog {
    /// Where the secret of the webhook is looked for first.
    package static let webhookSecret = "SUBMIT_NEWS_WEBHOOK_SECRET"

    /// Who tells the news that `news` of the configuration asks for; `nil` where it asks for none.
    ///
    /// The secret of the webhook is asked for when there is something to tell.
    ///
    /// - Throws: a failure to give up with, `configuration`, with file and line.
    public func newsDesk(_ manager: SubmitManager) throws(SubmitFailure) -> NewsDesk? {
        func value(_ key: String) -> ConfigurationFile.Value? { file.news[key]?.first }
        var channels: [any NewsChannel] = []
        let environment = InheritedEnvironment(places.environment, passing: file.passedVariables)
        switch value("desktop")?.text {
        case nil, "false", "no": break
        case "true", "yes":
            var own = environment.given(to: "gdbus")
            own["DBUS_SESSION_BUS_ADDRESS"] = places.environment["DBUS_SESSION_BUS_ADDRESS"]
            channels.append(DesktopChannel(environment: own))
        default: throw file.complaint(value("desktop")?.line ?? 1, "“desktop” is true or false.")
        }
        if let url = value("webhook") {
            guard url.text.hasPrefix("https://") || url.text.hasPrefix("http://"), let transport else {
                throw file.complaint(url.line, "“webhook” must be an address that begins with https:// or http://.")
            }
            // Services that give everybody an address of his own know him by it.
            let path = url.text.split(separator: "/", maxSplits: 2).last?.split(separator: "/", maxSplits: 1).last
            if let path, path.utf8.count >= 12 { KnownSecrets.add(String(path), isConfigured: true) }
            channels.append(WebhookChannel(url: url.text, secret: try secret(), transport: transport))
        }
        if let program = value("program") {
            let path = places.expanded(program.text)
            guard path.hasPrefix("/"), FileManager.default.isExecutableFile(atPath: path) else {
                throw file.complaint(
                    program.line, "“\(program.text)” is no program: give its whole path, and make it executable.")
            }
            channels.append(ProgramChannel(path, environment: environment.given(to: path)))
        }
        var kinds: Set<News.Kind> = []
        for name in file.news["of"] ?? [] {
            guard let kind = News.Kind(rawValue: name.text) else {
                let all = News.Kind.allCases.map(\.rawValue)
                throw file.complaint(
                    name.line,
                    "“\(name.text)” is no kind of news\(NearestNames.hint(for: name.text, among: all)); there are "
                        + "\(all.joined(separator: ", ")).")
            }
            kinds.insert(kind)
        }
        if channels.isEmpty { return nil }
        return NewsDesk(
            manager, locksIn: places.journal.removingLastComponent(), channels: channels,
            kinds: kinds.isEmpty ? Set(News.Kind.allCases) : kinds)
    }

    /// What cannot be had now is asked for again the next time: nothing is sent the later for it.
    private func secret() throws(SubmitFailure) -> @Sendable () throws(SubmitFailure) -> String? {
        if let secret = places.environment[Self.webhookSecret], !secret.isEmpty {
            KnownSecrets.add(secret, isConfigured: true)
            return { () throws(SubmitFailure) in secret }
        }
        guard let command = file.news["webhook_secret_command"]?.first else {
            return { () throws(SubmitFailure) in nil }
        }
        let environment = InheritedEnvironment(places.environment, passing: file.passedVariables)
        guard let program = SecretProgram(command.text, environment: environment) else {
            throw file.complaint(command.line, "“webhook_secret_command” cannot be split into words: check its quotes.")
        }
        return { () throws(SubmitFailure) in
            do throws(SubmitFailure) {
                return try program.firstLine(for: "“webhook_secret_command” of “news”")
            } catch {
                throw SubmitFailure(.retry(after: nil), code: error.code, message: error.message)
            }
        }
    }
}
