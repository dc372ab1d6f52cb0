import Foundation
import Testing

@testable import SubmitRecipes

@Suite struct LintTests {
    @Test func `The small recipe has no faults`() {
        #expect(DemoRecipe.faults(DemoRecipe.text) == [])
    }

    static let request = #"request: { method: PUT, url: "/up/{{ file.sha256 }}", body: { raw: file } }"#
    static let receipt = #"receipt: { id: "{{ up.id }}" }"#
    static let steps = "capture: { id: { json: /id } }\n"
    static func step(_ text: String) -> String { steps + text }

    /// What is replaced in the small recipe, by what, and what is told of it.
    static let form: [(String, String, [String])] = [
        (
            "title: Demo", "titel: Demo",
            [
                "3:1: “titel” is not a key of a recipe (did you mean “title”?); there are albums, auth, errors, facts, hosts, "
                    + "identity, limits, presence, private_when, public, receipt, recipe, remove, service, settings, summary, title, upload."
            ]
        ),
        ("title: Demo\n", "", ["1:1: “title” is missing from a recipe: the service's name for people."]),
        ("recipe: 1", "recipe: 2", ["1:9: “recipe” must be “1”, not “2”."]),
        (
            "service: demo", "service: Demo One",
            [
                "2:10: “service” must be a name of a–z, 0–9 and “-” that begins with a letter, not “Demo One”."
            ]
        ),
        ("title: Demo", "title:", ["3:1: “title” has no value: it must be a text."]),
        ("title: Demo", "title: [Demo]", ["3:8: “title” must be a text, not a list."]),
        ("title: Demo", "title: Demo\ntitle: Again", ["3:1: The key “title” stands here twice: leave one of them."]),
        (
            "checked: 2026-11-21", "checked: 2026-13-21",
            [
                "5:19: “checked” must be a date such as 2026-11-21, not “2026-13-21”."
            ]
        ),
        ("sources: [https://example.com/docs]", "sources: []", ["5:40: “sources” must not be empty."]),
        (
            "capture: { id: { json: /id } }", "capture: { id: { json: \"/items/{{ file.sha256 }}/id\" } }",
            [
                "13:28: “json” must be a JSON pointer such as /data/id (RFC 6901), without {{ }}, not “/items/{{ file.sha256 }}/id”."
            ]
        ),
        (
            ", tested: never", "",
            [
                "5:8: “tested” is missing from the facts: with what the recipe was tried, such as “against a stand-in”."
            ]
        ),
        (
            "kind: choice", "kind: chioce",
            [
                "6:28: “kind” must be one of text, integer, boolean, url, choice, secret, not “chioce” (did you mean “choice”?)."
            ]
        ),
        (
            "auth: { kind: none }", "auth: { kind: oauth }",
            [
                "8:15: “kind” must be one of oauth2, oauth1, header, basic, wsse, none, not “oauth” (did you mean “oauth1” or “oauth2”?)."
            ]
        ),
        ("auth: { kind: none }", "auth: { name: x }", ["8:7: “kind” is missing from “auth”: how to sign in."]),
        ("auth: { kind: none }", "auth: none", ["8:7: “auth” must be lines of “key: value”, with “kind” among them."]),
        (
            "limits: { kinds: [photo] }", "limits: { kinds: [photo], parallel: 0, photo: { max_bytes: 16Mib } }",
            [
                "9:37: “parallel” must be a whole number from 1 to 64, not “0”.",
                "9:60: “max_bytes” must be a size such as 16MiB, not “16Mib”.",
            ]
        ),
        (
            "method: PUT", "method: put",
            [
                "12:24: “method” must be one of GET, HEAD, POST, PUT, PATCH, DELETE, MKCOL, MOVE, PROPFIND, not “put” (did you mean “PUT”?)."
            ]
        ),
        (
            "body: { raw: file }", "body: { raw: file, json: {} }",
            [
                "12:65: “body” must have exactly one of json, form, raw, multipart, template; here are json, raw."
            ]
        ),
        (
            "body: { raw: file }", "body: { type: image/png }",
            [
                "12:65: “body” must have exactly one of json, form, raw, multipart, template; here is none."
            ]
        ),
        (
            "body: { raw: file }", "body: { json: { x: 1.5, y: '1.5' } }",
            [
                "12:78: JSON of a recipe has whole numbers only: put “1.5” into quotes for a text."
            ]
        ),
        (
            "{ json: /id }", "{ json: id }",
            ["13:28: “json” must be a JSON pointer such as /data/id (RFC 6901), without {{ }}, not “id”."]
        ),
        (
            "{{ file.sha256 }}", "{{ file.sha256 | lowr }}",
            [
                "12:56: There is no filter “lowr” (did you mean “lower”?); there are as_given, base64, basename, bool01, hashtags, header_safe, "
                    + "hex, int, iso8601, join, json, json_ascii, lower, md5, pad, quote_tags, rfc1123, seconds, sha1, sha256, trim, "
                    + "truncate, unhex, unix, upper, url, url_path, uuid, xml."
            ]
        ),
        ("{{ file.sha256 }}", "{{ file.sha256", ["12:39: “{{” is opened and never closed by “}}”."]),
        (
            "title: Demo", "title: &x Demo",
            [
                "3:8: Recipes have no anchors (&name) and aliases (*name): write it out. Where “&” begins a text, put the text into "
                    + "quotes and write \\x26 for it."
            ]
        ),
        ("title: Demo", "title: *x", ["3:8: This is no YAML: found undefined alias."]),
        ("title: Demo", "? [a]\n: b", ["3:3: A key must be a plain text, not a list or a mapping."]),
        (
            "title: Demo", "title: \"Demo",
            [
                "12:35: This is no YAML: while parsing a block mapping in line 1: did not find expected key."
            ]
        ),
        (
            "hosts: [https://api.example.com]", "hosts: [http://api.example.com]",
            [
                "7:9: “http://api.example.com” shows everything to the network: hosts must begin with https://."
            ]
        ),
        (
            "hosts: [https://api.example.com]", "hosts: [https://api.example.com/v1]",
            [
                "7:9: A host is only https:// and a name in small letters, such as https://api.example.com: paths stand in “url”."
            ]
        ),
        (
            "hosts: [https://api.example.com]", "hosts: [https://api.example.com, 'https://*.com']",
            [
                "7:34: After “*.” there must be a domain with a dot in it, such as *.example.com."
            ]
        ),
        (
            "hosts: [https://api.example.com]", "hosts: ['https://{{ settings.shown }}.com']",
            [
                "7:9: A host is written out, or is one setting: {{ settings.NAME }} with nothing around it."
            ]
        ),
    ]

    static let names: [(String, String, [String])] = [
        (
            "{{ file.sha256 }}", "{{ file.sha257 }}",
            [
                "12:47: “file” has no “sha257” (did you mean “sha256” or “sha1”?); there are base64, dropbox_hash, ext, kind, md5, "
                    + "mime, modified, name, sha1, sha256, size, stem."
            ]
        ),
        (
            "{{ file.sha256 }}", "{{ fil.sha256 }}",
            [
                "12:42: There is no “fil” here (did you mean “file”?); there are file, job, meta, now, settings."
            ]
        ),
        ("{{ file.sha256 }}", "{{ up.id }}", ["12:42: What “up” captures is not yet made here."]),
        ("{{ file.sha256 }}", "{{ file }}", ["12:42: “file” is a group: say which member, such as “file.NAME”."]),
        (
            "{{ file.sha256 }}", "{{ secret.key }}",
            [
                "12:42: “secret” is secrets: they stand in “auth” only, and requests show them by “auth: default”."
            ]
        ),
        (
            "{{ file.sha256 }}", "{{ status }}",
            [
                "12:42: “status” is the answer's status: it is known where an answer is looked at (ok_when, until, errors, …)."
            ]
        ),
        (
            "{{ file.sha256 }}", "{{ meta.caption }}",
            [
                "12:42: This may be nothing, which a URL cannot hold: say with “??” what then."
            ]
        ),
        (
            "{{ file.sha256 }}", "{{ file.base64 }}",
            [
                "12:34: “file.base64” stands only in a body's “template”, on its own in {{ }}."
            ]
        ),
        ("{{ up.id }}", "{{ up.di }}", ["14:23: “up” has no “di” (did you mean “id”?); there are id."]),
        (
            "{{ up.id }}", "{{ album.id }}",
            [
                "14:20: “album” is the album: it is known in “upload” and “albums” where the recipe has “albums”."
            ]
        ),
        (
            "{ json: /id }", "{ json: /id, optional: true }",
            [
                "14:20: The receipt's “id” may be nothing, for its step may not be done or may capture nothing: say with “??” what "
                    + "then."
            ]
        ),
        ("{ json: /id }", "{ json: /id, secret: true }", ["14:20: This shows a secret: nobody must see it."]),
        (
            "- id: up\n", "- id: up\n    when: settings.shown == 'all'\n",
            [
                "15:20: The receipt's “id” may be nothing, for its step may not be done or may capture nothing: say with “??” what "
                    + "then."
            ]
        ),
        (
            receipt, #"receipt: { id: "{{ file.sha1 }}", url: "{{ up.id }}", was_there: up.other }"#,
            [
                "14:69: “up” has no “other”; there are id."
            ]
        ),
        (
            "- id: up\n", "- id: file\n",
            [
                "11:5: “file” cannot be a step's id, for it is the item: it is known in “upload”, “receipt” and “presence”.",
                "14:20: There is no “up” here; there are file, job, meta, now, settings.",
            ]
        ),
        (
            "- id: up\n", "- id: up\n    when: settings.shown == 'al'\n",
            [
                "12:11: “settings.shown” is never “al” (did you mean “all”?): it is one of all, me.",
                "15:20: The receipt's “id” may be nothing, for its step may not be done or may capture nothing: say with “??” what "
                    + "then.",
            ]
        ),
    ]

    static let requests: [(String, String, [String])] = [
        (
            "url: \"/up/", "url: \"https://api.example.org/up/",
            [
                "12:34: “https://api.example.org” is not among “hosts”: add it there."
            ]
        ),
        (
            "url: \"/up/", "url: \"http://api.example.com/up/",
            [
                "12:34: A URL begins with “/” or https://: http:// shows everything to the network."
            ]
        ),
        ("url: \"/up/", "url: \"up/", ["12:34: A URL begins with “/” or https://: it has no host."]),
        (
            "url: \"/up/", "url: \"https://{{ file.kind }}.example.com/up/",
            [
                "12:34: Which host this is cannot be told: “hosts” must have its domain, such as https://*.example.com."
            ]
        ),
        (
            "url: \"/up/", "url: \"/a b/",
            ["12:34: A URL has no spaces and no letters beyond ASCII: percent-encode them."]
        ),
        (
            request,
            request.replacing(
                "body:", with: #"headers: { X-Name: "{{ file.name }}", X-Sum: "{{ file.sha1 }}" }, body:"#),
            [
                "12:82: This can put a line's end or letters beyond ASCII into a header: use the filter “header_safe”, or "
                    + "“headers_json”."
            ]
        ),
        (
            request,
            request.replacing("body:", with: #"headers: { X-Name: "{{ meta.caption ?? file.name | lower }}" }, body:"#),
            [
                "12:82: This can put a line's end or letters beyond ASCII into a header: use the filter “header_safe”, or "
                    + "“headers_json”."
            ]
        ),
        (
            request, request.replacing("body:", with: #"headers: { X-Name: "a\r\nX-Other: b" }, body:"#),
            [
                "12:78: A header is one line of printable ASCII: leave out line ends and other letters."
            ]
        ),
        (
            request, request.replacing("body:", with: #"headers: { X-Name: "{{ 'a\\nb' }}" }, body:"#),
            [
                "12:78: This can put a line's end or letters beyond ASCII into a header: use the filter “header_safe”, or "
                    + "“headers_json”."
            ]
        ),
        (
            request, request.replacing("body:", with: #"headers: { X-Name: "{{ file.name | header_safe }}" }, body:"#),
            []
        ),
        (
            request, request.replacing("body:", with: "headers: { Content-Length: 3, Authorization: x }, body:"),
            [
                "12:70: The header “Content-Length” cannot be set here: it follows from “body”.",
                "12:89: The header “Authorization” cannot be set here: it follows from “auth”.",
                "12:89: “Authorization” holds what looks like a secret: a recipe is shown to everyone. Make a setting of kind "
                    + "secret, and name it in “auth”; the secrets of OAuth clients are settings by themselves.",
            ]
        ),
        (
            request, request.replacing("body: { raw: file }", with: "body: { form: { client_secret: abc } }"),
            [
                "12:75: “client_secret” holds what looks like a secret: a recipe is shown to everyone. Make a setting of kind secret, "
                    + "and name it in “auth”; the secrets of OAuth clients are settings by themselves."
            ]
        ),
        (
            request, request.replacing("body:", with: "query: { app: Zm9vYmFyMTIzQUJDZGVmNDU2 }, body:"),
            [
                "12:68: “app” holds what looks like a secret: a recipe is shown to everyone. Make a setting of kind secret, and name "
                    + "it in “auth”; the secrets of OAuth clients are settings by themselves."
            ]
        ),
        (
            request, request.replacing("raw: file", with: "raw: range"),
            [
                "12:65: This body sends a piece of the file, and the step has no “chunks”."
            ]
        ),
        (
            request, request.replacing("method: PUT", with: "method: GET"),
            ["12:65: GET has no body: use POST, or “query”."]
        ),
        (
            request, request.replacing("body:", with: "auth: page_token, body:"),
            [
                "12:14: “auth: page_token” names no secret that “after_login” captures; it captures none, besides default and none."
            ]
        ),
        (
            request,
            request.replacing(
                "body: { raw: file }",
                with: #"body: { template: "<a>{{ file.name }}</a>{{ file.base64 }}", type: text/xml }"#),
            ["12:84: This can put “<” and “&” into XML: use the filter “xml”."]
        ),
    ]

    static let flows: [(String, String, [String])] = [
        (
            request, request.replacing("method: PUT", with: "method: POST"),
            [
                "11:5: The step “up” must say with “repeat” what to do when the answer to its POST was lost: safe, key, look or never."
            ]
        ),
        (
            steps, step("    repeat: key\n"),
            [
                "11:5: “repeat: key” needs a key made of “job.id” in the request, by which the service knows it."
            ]
        ),
        (
            steps, step("    repeat: look\n    say: Look\n"),
            [
                "11:5: “repeat: look” needs “look”, a request that finds out whether it was done."
            ]
        ),
        (
            steps, step("    repeat: never\n"),
            [
                "11:5: The step “up” must say with “say” what to look at where nobody knows whether it was done."
            ]
        ),
        (
            steps, step("    chunks: { size: 1MiB, most: 10 }\n"),
            [
                "14:13: “chunks” needs a body that sends the piece: “raw: range”, or a part with “range: true”."
            ]
        ),
        (
            steps, step("    chunks: { size: 1MiB }\n"),
            [
                "14:13: “most” is missing from a chunk loop: how many pieces at most; they grow where it is too few."
            ]
        ),
        (
            steps, step("    poll: { until: status == 200, every: 3s }\n"),
            [
                "14:11: “most” is missing from a poll: seconds in all."
            ]
        ),
        (
            steps, step("    poll: { until: status == 200, every: 0s, most: 1h }\n"),
            ["14:42: “every” must be at least 1s."]
        ),
        (
            steps, step("    poll: { until: status == 200, every: up.id, most: body.x }\n"),
            [
                "14:55: “body” is the answer's JSON: it is known where an answer is looked at (ok_when, until, errors, …)."
            ]
        ),
        (
            steps, step("    resume: { saved: true }\n"),
            ["11:5: “resume” is about “chunks”, which the step “up” does not have."]
        ),
        (
            steps, step("    when: false\n"),
            [
                "14:11: “when” is never true, so that this step is never done.",
                "15:20: The receipt's “id” may be nothing, for its step may not be done or may capture nothing: say with “??” what "
                    + "then.",
            ]
        ),
        (
            steps, step("  - id: more\n    when: file.kind == 'video'\n    request: { method: PUT, url: /x }\n"),
            [
                "15:11: This step is never done: “limits” has no kind “video”."
            ]
        ),
        (
            steps, step("  - id: up\n    request: { method: PUT, url: /x }\n"),
            [
                "14:5: There is a step “up” already: ids are unique."
            ]
        ),
        (
            receipt, receipt + "\nerrors:\n  - { status: 4xx, class: fatal }\n  - { status: 429, class: retry }",
            [
                "17:5: This rule is never reached: that of line 16 takes all its answers."
            ]
        ),
        (
            receipt, receipt + "\nerrors:\n  - { class: fatal }\n  - { status: 429, class: retry }",
            [
                "16:5: This rule takes every answer, so that none behind it is ever reached: put it last."
            ]
        ),
        (
            "auth: { kind: none }", "auth: { kind: header, name: x-key, value: abc }",
            [
                "8:43: The header “x-key” holds no secret: name a setting of kind secret in it, such as {{ secret.api_key }}."
            ]
        ),
        (
            "auth: { kind: none }", "auth: { kind: oauth2, token_url: https://login.example.com/token }",
            [
                "8:7: The flows browser and paste need “authorize_url”.",
                "8:34: “https://login.example.com” is not among “hosts”: add it there.",
            ]
        ),
        ("default: me", "default: you", ["6:13: The default “you” of “shown” is none of its words."]),
        (
            "kind: choice, of: [all, me], default: me", "kind: secret, default: abc",
            [
                "6:13: “shown” is a secret, and a recipe is shown to everyone: it has no default."
            ]
        ),
    ]

    @Test(arguments: form + names + requests + flows)
    func `A fault is told with its place and its cure`(_ old: String, _ new: String, _ faults: [String]) {
        #expect(DemoRecipe.faults(DemoRecipe.with(old, new)) == faults)
    }

    /// Of each what it is about, where there may be more.
    @Test(arguments: [
        (
            steps, step("    repeat: never\n    say: look\n    poll: { until: up.id != null, every: 1s, most: 1m }\n"),
            "make two steps of it"
        ),
        (steps, step("    key_lasts: 1h\n"), "“key_lasts” is for “repeat: key” only."),
        (
            request, #"request: { method: MOVE, url: "/up/{{ file.sha256 }}", body: { raw: file } }"#,
            "must say with “repeat”"
        ),
        (
            "hosts: [https://api.example.com]", "hosts: [https://api.example.com, 'https://*.com.']",
            "a domain with a dot in it"
        ),
    ])
    func `A fault is among those that are told`(_ old: String, _ new: String, _ words: String) {
        let faults = DemoRecipe.faults(DemoRecipe.with(old, new))
        #expect(faults.contains { $0.contains(words) }, "\(faults)")
    }

    @Test func `Steps under the same condition know each other's captures`() {
        let more = """
            capture: { id: { json: /id } }
                when: file.size > 5MB and file.kind == 'photo'
              - id: end
                when: file.kind == 'photo' and file.size > 5MB
                request: { method: PUT, url: "/end/{{ up.id }}" }
              - id: look
                when: up.id
                request: { method: PUT, url: "/look/{{ up.id }}" }
              - id: other
                when: file.size > 5MB
                request: { method: PUT, url: "/other/{{ up.id }}" }

            """
        let text = DemoRecipe.text.replacing(Self.steps, with: more)
            .replacing(Self.receipt, with: "receipt: { id: '{{ up.id ?? file.sha1 }}' }")
        #expect(
            DemoRecipe.faults(text) == [
                "23:45: This may be nothing, which a URL cannot hold: say with “??” what then."
            ])
    }

    @Test func `All faults are told at once, in the order of the text`() {
        let text = DemoRecipe.with("title: Demo", "titel: Demo").replacing("/up/{{ file.sha256 }}", with: "{{ fil }}")
        #expect(DemoRecipe.faults(text).count == 1)
        let other = DemoRecipe.with("title: Demo", "title: Demo\nextra: 1")
            .replacing("{{ file.sha256 }}", with: "{{ fil }}").replacing("{{ up.id }}", with: "{{ up.di }}")
        #expect(DemoRecipe.faults(other).map { $0.prefix { $0 != ":" } } == ["4", "13", "15"])
    }

    @Test func `The worked example of the documentation has no faults`() throws {
        let file = "\(#filePath)/../../../Sources/SubmitCommand/Documentation.docc/Recipes.md"
        let page = try String(contentsOfFile: (file as NSString).standardizingPath, encoding: .utf8)
        let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        let example = try #require(blocks.first { $0.contains("\nrecipe: 1") })
        #expect(DemoRecipe.faults(example) == [])
        // What the page says there is, there is.
        for filter in ExpressionFilter.allCases { #expect(page.contains("`\(filter.rawValue)"), "\(filter.rawValue)") }
        for name in KnownNames.meanings.keys where !["identity", "presence", "redirect", "auth"].contains(name) {
            #expect(page.contains("`\(name)`") || page.contains("`\(name)["), "\(name)")
        }
    }

    @Test func `lint demands a look at the post where a recipe says what it must hold`() {
        let text = DemoRecipe.with(
            "receipt: { id: \"{{ up.id }}\" }", "receipt: { id: \"{{ up.id }}\", holds_when: up.id != null }")
        #expect(DemoRecipe.faults(text).contains { $0.contains("“holds_when” needs “presence” with “there_when”") })
    }
}
