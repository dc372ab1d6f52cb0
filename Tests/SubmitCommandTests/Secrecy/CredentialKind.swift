import Foundation
import TestServers
import Testing

/// A kind of credential, the destination `place` that is configured with it, and a server that knows it and says it
/// again.
struct CredentialKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// What stands below the destination in the configuration; `URL` stands for the server, `HOME` for a folder.
    var settings: String
    /// What stands below it in `secrets.yaml`.
    var kept: [String: String] = [:]
    var environment: [String: String] = [:]
    /// Files to be made below `HOME`.
    var files: [String: String] = [:]
    /// What stands at the top of the configuration.
    var top = ""
    /// What is to be found nowhere.
    var secrets: [String]
    /// What the server does before it echoes; `nil` where it does that.
    var before: @Sendable (ReceivedRequest, _ url: String) -> String? = { _, _ in nil }
    /// The answer with the echo in it.
    var answer: @Sendable (String) -> String = { ScriptedServer.answer(400, ["Content-Type: text/plain"], $0) }
    /// What comes back is not quoted.
    var isSilent = false
    /// For programs: their text, in which `ECHO` is Python, and the path below `HOME`.
    var program: (path: String, text: String)?

    var testDescription: String { name }

    static let all = webDAV + objects + clouds + recipes + programs

    private static func json(_ object: Any) -> String {
        String(decoding: try! JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private static func xml(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    // MARK: WebDAV

    private static let dav: @Sendable (String) -> String = { text in
        ScriptedServer.answer(
            500, ["Content-Type: application/xml"],
            "<d:error xmlns:d=\"DAV:\" xmlns:s=\"http://sabredav.org/ns\"><s:exception>X</s:exception><s:message>"
                + xml(text) + "</s:message></d:error>")
    }

    private static func asking(_ challenge: String) -> @Sendable (ReceivedRequest, String) -> String? {
        { request, _ in
            let scheme = challenge.prefix { $0 != " " }
            return request["Authorization"]?.hasPrefix(scheme) == true
                ? nil : ScriptedServer.answer(401, ["WWW-Authenticate: \(challenge)"])
        }
    }

    private static let webDAV = [
        CredentialKind(
            name: "WebDAV password, Basic", settings: "type: webdav\n    url: URL/dav\n    user: anna",
            kept: ["password": "dav-p4ssw0rd-in-a-file"], secrets: ["dav-p4ssw0rd-in-a-file"],
            before: asking("Basic realm=\"x\""), answer: dav),
        CredentialKind(
            name: "WebDAV password of a program, Digest",
            settings: "type: webdav\n    url: URL/dav\n    user: anna\n    password_command: echo dav-pr1nted-passw0rd",
            secrets: ["dav-pr1nted-passw0rd"],
            before: asking("Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"), answer: dav),
        CredentialKind(
            name: "WebDAV token", settings: "type: webdav\n    url: URL/dav",
            environment: ["SUBMIT_PLACE_TOKEN": "dav-t0ken-of-the-environment"],
            secrets: ["dav-t0ken-of-the-environment"],
            answer: dav),
        CredentialKind(
            name: "password of a proxy", settings: "type: webdav\n    url: http://nas.invalid/dav\n    insecure: true",
            top: "network:\n  proxy: http://anna:pr0xy-passw0rd-here@ADDRESS\n", secrets: ["pr0xy-passw0rd-here"],
            answer: dav),
    ]

    // MARK: Object storage

    private static let s3: @Sendable (String) -> String = { text in
        ScriptedServer.answer(
            400, ["Content-Type: application/xml"], "<Error><Code>Strange</Code><Message>\(xml(text))</Message></Error>"
        )
    }
    private static let noObject: @Sendable (ReceivedRequest, String) -> String? = { request, _ in
        request.method == "HEAD" ? ScriptedServer.answer(404) : nil
    }

    private static let objects = [
        CredentialKind(
            name: "access key and session token", settings: "type: objstore\n    endpoint: URL\n    bucket: b",
            environment: [
                "AWS_ACCESS_KEY_ID": "AKIDTHISISTHEID", "AWS_SECRET_ACCESS_KEY": "aws/s3cret+access/key=",
                "AWS_SESSION_TOKEN": "aws-s3ssion-t0ken//and+more==",
            ], secrets: ["aws/s3cret+access/key=", "aws-s3ssion-t0ken//and+more=="], before: noObject, answer: s3),
        CredentialKind(
            name: "access key of a credential_process",
            settings: "type: objstore\n    endpoint: URL\n    bucket: b\n    profile: p",
            files: [
                "home/.aws/config": "[profile p]\ncredential_process = cat HOME/key.json\n",
                "key.json": #"{"Version":1,"AccessKeyId":"AKIDOFPROCESS","SecretAccessKey":"pr0cess-s3cret-access","#
                    + #""SessionToken":"pr0cess-s3ssion-token"}"#,
            ], secrets: ["pr0cess-s3cret-access", "pr0cess-s3ssion-token"], before: noObject, answer: s3),
        CredentialKind(
            name: "a customer's key",
            settings: "type: objstore\n    endpoint: URL\n    bucket: b\n    sse: customer\n    insecure: true",
            kept: [
                "sse_customer_key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "access_key_id": "AKIDTHISISTHEID",
                "secret_access_key": "aws-s3cret-in-a-file",
            ], secrets: ["MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "aws-s3cret-in-a-file"], before: noObject,
            answer: s3),
    ]

    // MARK: OpenStack

    private static func keystone(_ text: String) -> String {
        ScriptedServer.answer(
            401, ["Content-Type: application/json"], json(["error": ["message": text, "code": 401]]))
    }

    private static let clouds = [
        CredentialKind(
            name: "Keystone password",
            settings: "type: objstore\n    api: swift\n    bucket: b\n    auth_url: URL/v3\n    username: anna\n"
                + "    project_name: p",
            kept: ["password": "k3ystone-passw0rd"], secrets: ["k3ystone-passw0rd"], answer: keystone),
        CredentialKind(
            name: "Keystone application credential",
            settings: "type: objstore\n    api: swift\n    bucket: b\n    auth_url: URL/v3\n"
                + "    application_credential_id: c0ffee",
            kept: ["application_credential_secret": "appl1cation-s3cret"], secrets: ["appl1cation-s3cret"],
            answer: keystone),
        CredentialKind(
            name: "token of OpenStack",
            settings: "type: objstore\n    api: swift\n    bucket: b\n    auth_url: URL/v3\n    username: anna\n"
                + "    project_name: p",
            kept: ["password": "k3ystone-passw0rd"], secrets: ["k3ystone-passw0rd", "gAAAAA-t0ken-of-keystone"],
            before: { request, url in
                guard request.target.hasSuffix("/auth/tokens") else {
                    return request.method == "PUT" ? nil : ScriptedServer.answer(404)
                }
                let endpoint = ["interface": "public", "url": "\(url)/v1/AUTH_a", "region": "r", "region_id": "r"]
                let catalog: [Any] = [["type": "object-store", "name": "swift", "endpoints": [endpoint]]]
                return ScriptedServer.answer(
                    201, ["Content-Type: application/json", "X-Subject-Token: gAAAAA-t0ken-of-keystone"],
                    json(["token": ["catalog": catalog, "expires_at": "2099-01-01T00:00:00.000000Z"]]))
            },
            answer: { ScriptedServer.answer(400, ["Content-Type: text/html"], "<html><p>\(xml($0))</p></html>") }),
    ]

    // MARK: Recipes

    private static func recipe(
        _ name: String, _ auth: String, _ settings: String = "", extra: String = "", kept: [String: String],
        secrets: [String], environment: [String: String] = [:],
        before: @escaping @Sendable (ReceivedRequest, String) -> String? = { _, _ in nil },
        answer: (@Sendable (String) -> String)? = nil
    ) -> CredentialKind {
        let text = """
            recipe: 1
            service: echo
            title: Echo
            summary: Says everything again
            facts: { checked: 2026-11-21, sources: [https://example.com/docs], tested: never }
            settings: { server: { kind: url, required: true, summary: Where it is }\(extra) }
            hosts: ["{{ settings.server }}"]
            auth: \(auth)
            limits: { kinds: [photo] }
            upload:
              - id: up
                request: { method: PUT, url: "/up/{{ file.sha256 }}", body: { raw: file } }
                capture: { id: { json: /id } }
            receipt: { id: "{{ up.id }}" }

            """
        return CredentialKind(
            name: name, settings: "type: oauth-http\n    recipe: HOME/recipe.yaml\n    server: URL\n" + settings,
            kept: kept,
            environment: environment, files: ["recipe.yaml": text], secrets: secrets, before: before,
            answer: answer ?? { ScriptedServer.answer(400, ["Content-Type: application/json"], json(["message": $0])) })
    }

    private static let oauth2 =
        "{ kind: oauth2, authorize_url: \"{{ settings.server }}/a\", "
        + "token_url: \"{{ settings.server }}/token\", scopes: [x], pkce: none, client_auth: post, flows: [paste] }"
    private static let oauth1 =
        "{ kind: oauth1, request_url: \"{{ settings.server }}/r\", "
        + "authorize_url: \"{{ settings.server }}/a\", access_url: \"{{ settings.server }}/t\", signature: HMAC-SHA1, "
        + "flows: [paste] }"
    private static let tokens = [
        "access_token": "oauth2-acc3ss-token.part-two", "refresh_token": "oauth2-r3fresh-token",
    ]

    private static var givenAsID: CredentialKind {
        var kind = recipe(
            "API key that an answer gives as an id",
            "{ kind: header, name: x-api-key, value: \"{{ secret.api_key }}\" }",
            extra: ", api_key: { kind: secret, required: true, summary: The key }",
            kept: ["api_key": "r3cipe-api-key-0002"],
            secrets: ["r3cipe-api-key-0002"],
            answer: { ScriptedServer.answer(200, ["Content-Type: application/json"], json(["id": $0])) })
        kind.isSilent = true
        return kind
    }

    private static let recipes = [
        givenAsID,
        recipe(
            "API key", "{ kind: header, name: x-api-key, value: \"{{ secret.api_key }}\" }",
            extra: ", api_key: { kind: secret, required: true, summary: The key }",
            kept: ["api_key": "r3cipe-api-key-0001"],
            secrets: ["r3cipe-api-key-0001"]),
        recipe(
            "password of a recipe", "{ kind: basic }", "    user: anna", kept: ["password": "r3cipe-passw0rd-x"],
            secrets: ["r3cipe-passw0rd-x"]),
        recipe(
            "key of WSSE", "{ kind: wsse }", "    user: anna", kept: ["api_key": "wsse-k3y-of-hatena"],
            secrets: ["wsse-k3y-of-hatena"]),
        recipe(
            "tokens of OAuth 2", oauth2, "    client_id: me", kept: tokens,
            secrets: Array(tokens.values) + ["cl1ent-s3cret-here"],
            environment: ["SUBMIT_PLACE_CLIENT_SECRET": "cl1ent-s3cret-here"]),
        recipe(
            "tokens of OAuth 2 that are renewed", oauth2, "    client_id: me", kept: tokens,
            secrets: Array(tokens.values) + ["cl1ent-s3cret-here"],
            environment: ["SUBMIT_PLACE_CLIENT_SECRET": "cl1ent-s3cret-here"],
            before: { request, _ in request.target == "/token" ? nil : ScriptedServer.answer(401) },
            answer: {
                ScriptedServer.answer(
                    400, ["Content-Type: application/json"], json(["error": "invalid_grant", "error_description": $0]))
            }),
        recipe(
            "token of OAuth 1", oauth1, "    client_id: me",
            kept: ["oauth_token": "oauth1-t0ken-public", "oauth_token_secret": "oauth1-t0ken-s3cret"],
            secrets: ["oauth1-t0ken-public", "oauth1-t0ken-s3cret", "c0nsumer-s3cret-here"],
            environment: ["SUBMIT_PLACE_CLIENT_SECRET": "c0nsumer-s3cret-here"]),
    ]

    // MARK: Programs

    private static func plugin(_ end: String) -> String {
        """
        #!/usr/bin/env python3
        import base64, json, sys
        def say(message, **fields):
            sys.stdout.write(json.dumps({"message": message, **fields}) + "\\n")
            sys.stdout.flush()
        def hear():
            line = sys.stdin.readline()
            if not line: sys.exit(0)
            return json.loads(line)
        say("done", id=hear()["id"], version=1, summary="It tells", capabilities={"requiresNetwork": False},
            settings=[{"name": "token", "kind": "secret", "summary": "What opens it"}])
        say("done", id=hear()["id"])
        request = hear()
        while request["message"] != "submit":
            say("unsupported", id=request["id"])
            request = hear()
        say("secret", question=1, name="token")
        secret = hear()["text"]
        echo = ECHO
        say("log", text=echo)
        sys.stderr.write(echo + "\\n")
        sys.stderr.flush()
        \(end)
        """
    }

    private static let programs = [
        CredentialKind(
            name: "secret of a program, in its failure", settings: "type: tells",
            kept: ["token": "plug1n-token-in-failure"],
            secrets: ["plug1n-token-in-failure"],
            program: (
                "home/.local/share/submit/plugins/submit-to-tells",
                plugin("say('failed', id=request['id'], remedy='giveUp', code='told', sentence=echo)\nhear()")
            )),
        CredentialKind(
            name: "secret of a program, in its last words", settings: "type: tells",
            kept: ["token": "plug1n-token-last-words"],
            secrets: ["plug1n-token-last-words"],
            program: ("home/.local/share/submit/plugins/submit-to-tells", plugin("sys.exit(3)"))),
        CredentialKind(
            name: "password of rclone's configuration",
            settings: "type: rclone\n    remote: nas:photos\n    program: HOME/rclone",
            kept: ["config_pass": "rcl0ne-config-passw0rd"], secrets: ["rcl0ne-config-passw0rd"],
            program: (
                "rclone",
                "#!/usr/bin/env python3\nimport base64, os, sys\nsecret = os.environ['RCLONE_CONFIG_PASS']\n"
                    + "sys.stderr.write(ECHO + '\\n')\nsys.exit(1)\n"
            )),
        CredentialKind(
            name: "password of a remote of git-annex",
            settings:
                "type: git-annex\n    externaltype: HOME/git-annex-remote-tells\n    exporttree: false\n    user: anna",
            kept: ["password": "git-ann3x-passw0rd"], secrets: ["git-ann3x-passw0rd"],
            program: (
                "git-annex-remote-tells",
                """
                #!/usr/bin/env python3
                import base64, sys
                def say(text):
                    sys.stdout.write(text + "\\n")
                    sys.stdout.flush()
                say("VERSION 1")
                for line in sys.stdin:
                    word = line.split()[0]
                    if word in ("INITREMOTE", "PREPARE"):
                        say("GETCREDS x")
                        secret = sys.stdin.readline().split()[2]
                        say(word + "-FAILURE " + ECHO)
                    else:
                        say("UNSUPPORTED-REQUEST")
                """
            )),
    ]
}
