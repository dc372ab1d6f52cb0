import Foundation
import TestServers
import Testing

/// A `submit` whose destination `photos` is a recipe's, at the stand-in of its service.
struct RecipePlace: Sendable {
    let server: ServiceServer
    let submit: Submit

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/SubmitRecipes/Recipes").path

    /// The text of a recipe that comes with the program.
    static func recipe(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name).yaml", encoding: .utf8)
    }

    /// - Parameters:
    ///   - more: settings.
    ///   - edit: what is changed in the recipe.
    init(
        _ service: ServiceServer.Service, _ more: [String: String] = [:], edit: (String) -> String = { $0 }
    ) async throws {
        let server = try await ServiceServer(service)
        self.server = server
        var settings = more
        var environment: [String: String] = [:]
        func take(_ credential: String) -> String? {
            (try? server.credential(credential)).flatMap { $0.isEmpty ? nil : $0 }
        }
        switch service {
        case .immich, .mastodon, .pixelfed:
            settings["type"] = service.rawValue
            settings["server"] = server.endpoint
            settings["insecure"] = "true"
        default:
            settings["type"] = "oauth-http"
            settings["recipe"] = "recipe.yaml"
            settings["client_id"] = take("CLIENT_ID") ?? take("CONSUMER_KEY")
            settings["user"] = take("LOGIN")
            settings["page"] = take("PAGE")
            settings["blog"] = take("BLOG")
            environment["SUBMIT_PHOTOS_CLIENT_SECRET"] = take("CLIENT_SECRET") ?? take("CONSUMER_SECRET")
        }
        // What is sent here are bytes of which no rendition can be made.
        settings["rendition"] = settings["rendition"] ?? "original"
        submit = Submit(environment)
        let text = server.redirecting(try Self.recipe(service == .hatena ? "hatena-fotolife" : service.rawValue))
        let recipe = try submit.folder.write(edit(text), to: "recipe.yaml")
        if settings["recipe"] != nil { settings["recipe"] = recipe }
        let lines = settings.sorted { $0.key < $1.key }.map { "    \($0.key): \"\($0.value)\"\n" }.joined()
        try submit.configure(
            "network:\n  ca_file: \(server.certificateAuthority)\ndestinations:\n  photos:\n\(lines)")
    }

    /// As a login leaves it.
    func signIn(_ secrets: [String: String]) throws {
        let lines = secrets.sorted { $0.key < $1.key }.map { "  \($0.key): \"\($0.value)\"\n" }.joined()
        try submit.folder.write("photos:\n\(lines)", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
    }

    /// With the tokens that the stand-in gives away.
    func signIn() throws {
        var secrets: [String: String] = [:]
        for (name, credential) in [("access_token", "ACCESS_TOKEN"), ("refresh_token", "REFRESH_TOKEN")] {
            if let value = try? server.credential(credential), !value.isEmpty { secrets[name] = value }
        }
        try signIn(secrets)
    }

    /// What people see there, by its digests: posts where the service has them, else items.
    func seen() async throws -> [String] {
        let state = try await server.state()
        let hasPosts: Set<ServiceServer.Service> = [.mastodon, .pixelfed, .x, .facebook, .tumblr]
        return hasPosts.contains(server.service) ? state.posts.flatMap(\.sha256) : state.items.map(\.sha256)
    }

    /// Nothing that the secrets file holds shows elsewhere.
    func expectSecrecy(_ outcomes: Outcome..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let secrets = try submit.folder.text("config/submit/secrets.yaml").split(separator: "\n")
            .compactMap { $0.split(separator: ": ", maxSplits: 1).dropFirst().first }
            .map { $0.trimmingCharacters(in: ["\"", "'", " "]) }.filter { $0.count > 12 }
        #expect(!secrets.isEmpty, sourceLocation: sourceLocation)
        let texts = outcomes.flatMap { [$0.out, $0.err] } + [try submit.folder.text("config/submit/config.yaml")]
        for secret in secrets {
            for text in texts { #expect(!text.contains(secret), sourceLocation: sourceLocation) }
            #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil, sourceLocation: sourceLocation)
        }
    }
}

extension Submit {
    /// Signs in as a person does.
    ///
    /// - Parameters:
    ///   - isPasted: where the browser ends is pasted; otherwise the browser goes there.
    ///   - act: what the person does with the event `open`: goes to its page, and says where the browser ends.
    func login(
        _ name: String, _ method: String, isPasted: Bool = false,
        _ act: (_ prompt: LoginPromptLine) async throws -> String?
    ) async throws -> Outcome {
        let answers = folder.path("answers-\(UUID().uuidString)")
        mkfifo(answers, 0o600)
        // Nobody waits at its other end.
        let pipe = open(answers, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let process = try start(
            ["login", name, method, "--json", "--wait", "60"],
            wrapper: ["/bin/sh", "-c", #"answers=$1; shift; exec "$@" < "$answers""#, "sh", answers])
        var prompt: LoginPromptLine?
        while prompt == nil, process.child.isRunning {
            let lines = try process.output().split(separator: "\n")
            prompt =
                lines.lazy.compactMap { try? JSONDecoder().decode(LoginPromptLine.self, from: Data($0.utf8)) }.first
            if prompt == nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        if let prompt, let end = try await act(prompt) {
            if isPasted {
                let line = Array("\(end)\n".utf8)
                #expect(write(pipe, line, line.count) == line.count)
            } else {
                _ = try await ChildProcess.output(of: ["curl", "-sS", "--noproxy", "*", "--max-time", "60", end])
            }
        }
        return try await process.outcome()
    }
}

/// The line of `submit login --json` that says what to open.
struct LoginPromptLine: Decodable {
    var event: String
    var url: String
    var redirect: String?
    var code: String?
}
