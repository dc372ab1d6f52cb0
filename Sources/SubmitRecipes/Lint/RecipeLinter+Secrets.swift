extension RecipeLinter {
    /// Names under which services take secrets, with `_` for `-`.
    private static let secretNames: Set<String> = [
        "client_secret", "access_token", "refresh_token", "oauth_token", "oauth_token_secret", "token", "auth_token",
        "id_token", "api_key", "apikey", "x_api_key", "api_secret", "app_secret", "consumer_secret", "secret",
        "password", "passwd", "authorization", "x_auth_token", "private_token", "session", "sessionid",
    ]

    private static let secretStarts = [
        "ghp_", "github_pat_", "xoxb-", "xoxp-", "sk-", "sk_", "eyJ", "ya29.", "AIza", "AKIA",
    ]

    mutating func checkSecrets(in request: Recipe.Request) {
        for field in request.query + request.headers { checkSecret(field.name, field.value, field.place) }
        for header in request.jsonHeaders { checkSecrets(in: header.value, named: header.name) }
        switch request.body.content {
        case .form(let fields): for field in fields { checkSecret(field.name, field.value, field.place) }
        case .json(let json): checkSecrets(in: json, named: "")
        case .multipart(let parts):
            for part in parts {
                switch part.content {
                case .text(let text): checkSecret(part.name.constant ?? "", text, part.place)
                case .json(let json): checkSecrets(in: json, named: "")
                case .file, .range: break
                }
            }
        case .none, .file, .range, .text, .template: break
        }
        for piece in request.url.pieces {
            guard case .text(let text) = piece, let query = text.split(separator: "?", maxSplits: 1).dropFirst().first
            else { continue }
            for field in query.split(separator: "&") {
                let halves = field.split(separator: "=", maxSplits: 1)
                guard halves.count == 2 else { continue }
                checkSecret(
                    String(halves[0]), RecipeTemplate(place: request.url.place, pieces: [.text(String(halves[1]))]),
                    request.url.place)
            }
        }
    }

    private mutating func checkSecrets(in json: JSONTemplate, named name: String) {
        switch json {
        case .value(let template): checkSecret(name, template, template.place)
        case .list(let elements): for element in elements { checkSecrets(in: element, named: name) }
        case .map(let members): for member in members { checkSecrets(in: member.value, named: member.key) }
        }
    }

    mutating func checkSecret(_ name: String, _ value: RecipeTemplate, _ place: RecipePlace) {
        guard value.isWritten, let text = value.constant, !text.isEmpty else { return }
        let plain = String(name.lowercased().map { $0 == "-" ? "_" : $0 })
        guard Self.secretNames.contains(plain) || Self.looksSecret(text) else { return }
        // The value itself is not quoted.
        tell(
            place,
            "“\(name)” holds what looks like a secret: a recipe is shown to everyone. Make a setting of kind secret, and "
                + "name it in “auth”; the secrets of OAuth clients are settings by themselves.")
    }

    /// A long word of small and capital letters and digits, or one that begins as tokens do.
    static func looksSecret(_ text: String) -> Bool {
        text.split { " =,;&?:/\"".contains($0) }.contains { word in
            if word.count >= 20, secretStarts.contains(where: { word.hasPrefix($0) }) { return true }
            guard word.count >= 24, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
            let isHexadecimal = word.count >= 32 && word.allSatisfy(\.isHexDigit) && word.contains { $0.isNumber }
            return isHexadecimal
                || word.contains { $0.isLowercase } && word.contains { $0.isUppercase } && word.contains { $0.isNumber }
        }
    }
}
