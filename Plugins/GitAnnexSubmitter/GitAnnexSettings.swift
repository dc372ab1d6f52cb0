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
                    "externaltype", .text, summary: "the program is git-annex-remote-<externaltype>, or give its path",
                    isRequired: true),
                SettingKey(
                    "config", .text,
                    summary: "what it is configured with, as for `git annex initremote`: name=value name=value"),
                SettingKey(
                    "exporttree", .boolean,
                    summary:
                        "store under the photos' names, which the remote must support (yes if not set); no: under their digests"
                ),
                SettingKey(
                    "template", .text, summary: "the names to store under, such as {year}/{name}; {name} if not set"),
                SettingKey("readback", .boolean, summary: "read every copy back to prove it (no if not set)"),
                SettingKey(
                    "timeout", .integer, summary: "seconds that the program may be silent; \(defaultTimeout) if not set"
                ),
                SettingKey("user", .text, summary: "what the remote asks for as user"),
                SettingKey("password", .secret, summary: "what the remote asks for as password"),
            ],
            make: { (settings) throws(SubmitFailure) in try GitAnnexSubmitter(settings) })
    }

    private static let defaultTimeout = 3600

    static func capabilities(usesCaptureTime: Bool) -> Capabilities {
        Capabilities(
            ordering: .sequential, requiresNetwork: false, digests: [.sha256], canReadBack: true,
            proves: .unknown, usesCaptureTime: usesCaptureTime)
    }

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
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
            canReadBack: try settings.boolean("readback") ?? false)
    }

    private static func values(_ settings: DestinationSettings) throws(SubmitFailure) -> [String: String] {
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
