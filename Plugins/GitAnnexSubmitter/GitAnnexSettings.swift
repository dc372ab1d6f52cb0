internal import Submit
internal import SubmitPrograms

extension GitAnnexSubmitter {
    /// The type `git-annex`.
    static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "git-annex",
            summary: "any program that is an external special remote of git-annex",
            capabilities: capabilities(usesCaptureTime: true),
            settings: [
                SettingKey(
                    "externaltype", .text, "the program is git-annex-remote-<externaltype>, or give its path",
                    isRequired: true),
                SettingKey(
                    "config", .text, "what it is configured with, as for `git annex initremote`: name=value name=value"),
                SettingKey(
                    "exporttree", .boolean,
                    "store under the photos' names, which the remote must support (yes if not set); no: under their digests"
                ),
                SettingKey("template", .text, "the names to store under, such as {year}/{name}; {name} if not set"),
                SettingKey("readback", .boolean, "read every copy back to prove it (no if not set)"),
                SettingKey("timeout", .integer, "seconds that the program may be silent; \(defaultTimeout) if not set"),
                SettingKey("user", .text, "what the remote asks for as user"),
                SettingKey("password", .secret, "what the remote asks for as password"),
            ],
            make: { (settings) throws(SubmitFailure) in try GitAnnexSubmitter(settings) })
    }

    private static let defaultTimeout = 3600

    static func capabilities(usesCaptureTime: Bool) -> Capabilities {
        Capabilities(
            ordering: .sequential, requiresNetwork: false, digests: [.sha256], readsBack: true,
            proves: .unknown, usesCaptureTime: usesCaptureTime)
    }

    init(_ settings: Settings) throws(SubmitFailure) {
        let type = try settings.required("externaltype")
        let template = try settings.template("template")
        guard !template.usesAlbum else {
            throw settings.invalid("template", "names {album}, and a remote has no albums")
        }
        let user = settings["user"]
        for (name, text) in [("user", user), ("password", settings.secret("password"))] {
            guard text?.contains(where: \.isNewline) != true, name == "password" || text?.contains(" ") != true else {
                throw settings.invalid(name, "must be one line, and the user one word: the protocol takes no other")
            }
        }
        let configuration = AnnexConfiguration(
            destination: settings.destination, program: type.contains("/") ? type : "git-annex-remote-\(type)",
            externalType: type.split(separator: "/").last.map(String.init) ?? type,
            values: try Self.values(settings), user: user, password: settings.secret("password"),
            exports: try settings.boolean("exporttree") ?? true,
            patience: .seconds(try settings.integer("timeout", in: 1...86400) ?? Self.defaultTimeout))
        self.init(
            remote: AnnexRemote(configuration, notes: settings.notes), template: template,
            readsBack: try settings.boolean("readback") ?? false)
    }

    private static func values(_ settings: Settings) throws(SubmitFailure) -> [String: String] {
        guard let words = ShellWords.split(settings["config"] ?? "") else {
            throw settings.invalid("config", "has a quote that is not closed")
        }
        var values: [String: String] = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex, !word.contains(where: \.isNewline)
            else {
                throw settings.invalid("config", "must be name=value name=value, not “\(word)”")
            }
            values[String(word[..<equals])] = String(word[word.index(after: equals)...])
        }
        if let encryption = values["encryption"], encryption != "none" {
            throw settings.invalid(
                "config", "asks for encryption, which is git-annex's own; only encryption=none is possible")
        }
        return values
    }
}
