extension ServiceFeatures {
    /// The recipe that truthfully describes a service of these features and manners.
    func recipe(_ manners: Set<ServiceManner>) -> String {
        let steps = (looksBefore ? [seen(manners)] : []) + sending(manners) + [done(manners)] + waiting(manners)
        let presence = """
            presence:
              request: { method: GET, url: "/photos/{{ receipt.id }}" }
              gone: [\(notFound(manners))]\(right(manners, 2))\(telling == .digest ? "\n  verified_when: body['/sum'] == file.sha256" : "")
            """
        let remove =
            "remove: { request: { method: DELETE, url: \"/photos/{{ receipt.id }}\" }, gone: [\(notFound(manners))]"
            + (manners.contains(.errorsInside) ? ", ok_when: \"body['/error'] == null\" }" : " }")
        return [
            head, "upload:", steps.joined(separator: "\n"), receipt(manners), presence, canRemove ? remove : "",
            albumRules(manners),
            errors(manners),
        ].filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    private var head: String {
        """
        recipe: 1
        service: drawn
        title: Drawn
        summary: A drawn service
        facts: { checked: 2026-11-23, sources: ["https://example.org/"], tested: "against a stand-in" }
        settings:
          server: { kind: url, summary: "Its address", required: true }
          api_key: { kind: secret, summary: "Its key" }
        hosts: ["{{ settings.server }}"]
        auth: { kind: header, name: x-key, value: "{{ secret.api_key }}" }
        limits: { kinds: [photo], parallel: 2 }
        """
    }

    /// Whether an answer is no error in disguise.
    private func right(_ manners: Set<ServiceManner>, _ indent: Int) -> String {
        manners.contains(.errorsInside)
            ? "\n\(String(repeating: " ", count: indent))ok_when: body['/error'] == null" : ""
    }

    private func notFound(_ manners: Set<ServiceManner>) -> String {
        manners.contains(.errorsInside) ? "404, { status: 200, when: \"body['/error/code'] == '404'\" }" : "404"
    }

    private var unlessSeen: String { looksBefore ? "\n    when: seen.id == null" : "" }

    private var body: String {
        sendsMultipart
            ? "{ multipart: [ { name: title, text: \"{{ meta.title }}\" }, { name: file, file: true } ] }"
            : "{ raw: file }"
    }

    // MARK: Steps

    private func seen(_ manners: Set<ServiceManner>) -> String {
        """
          - id: seen
            request: { method: GET, url: /photos, query: { sha256: "{{ file.sha256 }}" } }
            capture: { id: { json: /photos/0/id, optional: true }, sum: { json: /photos/0/sum, optional: true } }
            ok_when: body['/photos/0/id'] != null or body['/photos'] == []
        """
    }

    private func sending(_ manners: Set<ServiceManner>) -> [String] {
        func made(_ step: String, _ path: String, _ body: String) -> String {
            """
              - id: \(step)\(unlessSeen)
                request: { method: POST, url: \(path)\(body.isEmpty ? "" : ", body: \(body)") }
                capture: { id: { json: /id } }\(right(manners, 4))
                repeat: safe
            """
        }
        switch way {
        case .whole: return []
        case .media: return [made("media", "/media", body)]
        case .draft:
            let bytes = """
                  - id: bytes\(unlessSeen)
                    request: { method: PUT, url: "/drafts/{{ draft.id ?? '-' }}/bytes", body: { raw: file } }\(right(manners, 4))
                """
            return [made("draft", "/drafts", ""), bytes]
        case .session:
            let how =
                switch resume {
                case .ask:
                    """
                    resume:
                          ask: { request: { method: HEAD, url: "/sessions/{{ start.id ?? '-' }}" }, capture: { offset: { header: Offset } } }
                          offset: pieces.offset
                          done_when: pieces.offset == file.size
                    """
                case .fromError: "resume: { from_error: { status: 409, offset: [/error/offset] } }"
                case .saved: "resume: { saved: true }"
                }
            let pieces = """
                  - id: pieces\(unlessSeen)
                    request:
                      method: PATCH
                      url: "/sessions/{{ start.id ?? '-' }}"
                      headers: { Offset: "{{ chunk.offset }}", Index: "{{ chunk.index }}" }
                      body: { raw: range }
                    chunks: { size: 300, most: 1000 }\(right(manners, 4))
                    \(how)
                    repeat: safe
                """
            return [made("start", "/sessions", ""), pieces]
        }
    }

    private func done(_ manners: Set<ServiceManner>) -> String {
        var query = ["tag: \"{{ job.id }}\""]
        if way == .session { query.append("size: \"{{ file.size }}\"") }
        if albums == .named { query.append("album: \"{{ album.name }}\"") }
        let (path, sent) =
            switch way {
            case .whole: ("/photos", ", body: \(body)")
            case .media: ("/posts", ", body: { json: { media: \"{{ media.id ?? '-' }}\" } }")
            case .draft: ("\"/drafts/{{ draft.id ?? '-' }}/publish\"", "")
            case .session: ("\"/sessions/{{ start.id ?? '-' }}/end\"", "")
            }
        let key = means == .key ? ", headers: { Idempotency-Key: \"{{ job.id }}\" }" : ""
        let statuses = answer == .seeOther ? "202, 303, 409" : manners.contains(.namesDuplicates) ? "2xx, 409" : "2xx"
        let expect = manners.contains(.errorsInside) && answer == .seeOther ? "200, " + statuses : statuses
        return """
              - id: done\(unlessSeen)
                lock: account
                request: { method: POST, url: \(path), query: { \(query.joined(separator: ", ")) }\(key)\(sent), expect: [\(expect)] }
                capture: { \(captures(manners)) }
            \(isRight(manners))
            \(repetition(manners))
                say: look at {{ settings.server }}
            """
    }

    private func isRight(_ manners: Set<ServiceManner>) -> String {
        let isNoError = manners.contains(.errorsInside) ? "body['/error'] == null" : nil
        let isSomething = works(manners) ? "(done.id ?? done.job) != null" : nil
        let all = [isNoError, isSomething].compactMap { $0 }
        return all.isEmpty ? "" : "    ok_when: " + all.joined(separator: " and ")
    }

    private func captures(_ manners: Set<ServiceManner>) -> String {
        let (id, job) =
            switch answer {
            case .json: ("json: /id", "json: /job")
            case .xml: ("xml: rsp/id", "xml: rsp/job")
            case .location, .seeOther:
                works(manners) ? ("json: /id", "header: Location") : ("header: Location", "json: /job")
            }
        var all = ["id: { \(id)\(works(manners) ? ", optional: true" : "") }", "job: { \(job), optional: true }"]
        let isXML = answer == .xml
        all.append("sum: { \(isXML ? "xml: rsp/sum" : "json: /sum"), optional: true }")
        all.append("size: { \(isXML ? "xml: rsp/size" : "json: /size"), optional: true }")
        all.append("status: { json: /status, default: \"201\" }")
        return all.joined(separator: ", ")
    }

    private func repetition(_ manners: Set<ServiceManner>) -> String {
        if way == .draft { return "    repeat: safe" }
        switch means {
        case .nothing: return "    repeat: never"
        case .bytes: return "    repeat: safe"
        case .key: return "    repeat: key" + (manners.contains(.forgetsKeys) ? "\n    key_lasts: 10m" : "")
        case .look, .lookInList:
            let place = means == .look ? "/photos/0" : ""
            let facts = ["id", "job", "sum", "size"].map { name in
                "\(name): { json: \(place)/\(name)\(name == "id" && !works(manners) ? "" : ", optional: true") }"
            }
            return """
                    repeat: look
                    look:
                      request: { method: GET, url: /photos\(means == .look ? ", query: { tag: \"{{ job.id }}\" }" : "") }\
                \(means == .look ? "" : "\n      items: /photos")
                      capture: { \(facts.joined(separator: ", ")) }
                      found: "\(means == .look ? "body['/photos/0/tag']" : "item['/tag']") == job.id"\
                \(manners.contains(.showsLate) ? "\n      settles: 30s" : "")
                """
        }
    }

    private func works(_ manners: Set<ServiceManner>) -> Bool {
        manners.contains { [.processes, .failsLater, .neverReady].contains($0) }
    }

    private func waiting(_ manners: Set<ServiceManner>) -> [String] {
        guard works(manners) else { return [] }
        return [
            """
              - id: ready
                when: done.job != null
                request: { method: GET, url: "/jobs/{{ (done.job ?? '-') | basename }}" }\(right(manners, 4))
                poll: { until: ready.state == 'done', fail_when: ready.state == 'failed', every: 60s, most: 10m }
                capture: { state: { json: /state }, id: { json: /id, optional: true }, sum: { json: /sum, optional: true }, size: { json: /size, optional: true } }
            """
        ]
    }

    // MARK: What becomes of it

    private func receipt(_ manners: Set<ServiceManner>) -> String {
        let steps = (works(manners) ? ["ready"] : []) + ["done"]
        func first(_ name: String, _ more: String = "") -> String {
            steps.map { "\($0).\(name)\(more)" }.joined(separator: " ?? ")
        }
        let id = works(manners) ? "ready.id ?? done.id" : "(done.id | basename)"
        var rules = [
            "receipt:", "  id: \"{{ \(id)\(looksBefore ? " ?? seen.id" : "")\(looksBefore ? " ?? 'none'" : "") }}\"",
        ]
        if looksBefore { rules.append("  was_there: seen.id != null") }
        let sum = first("sum") + (looksBefore ? " ?? seen.sum" : "")
        switch telling {
        case .nothing: break
        case .digest: rules.append("  verified_when: (\(sum)) == file.sha256")
        case .echo: rules.append("  echoed_when: (\(sum)) == file.sha256")
        case .size: rules.append("  size_when: (\(first("size"))) == file.size")
        }
        rules.append("  accepted_when: \"true\"")
        return rules.joined(separator: "\n")
    }

    private func albumRules(_ manners: Set<ServiceManner>) -> String {
        guard albums != .none else { return "" }
        guard albums != .named else { return "albums: {}" }
        let next =
            switch pages {
            case .none: "none"
            case .number: "{ page: 0, as: page }"
            case .token: "{ token: /next, as: page }"
            case .link: "link"
            }
        return """
            albums:
              list:
                request: { method: GET, url: /albums }
                items: /albums
                id: /id
                title: /title
                next: \(next)
              create:
                request: { method: POST, url: /albums, body: { json: { title: "{{ album.name }}"\(albums == .madeWithItem ? ", item: \"{{ receipt.id }}\"" : "") } } }
                capture: { id: { json: /id } }\(right(manners, 4))
                needs_item: \(albums == .madeWithItem)
              add: { request: { method: PUT, url: "/albums/{{ album.id }}/photos/{{ receipt.id }}" }\(manners.contains(.errorsInside) ? ", ok_when: \"body['/error'] == null\"" : "") }
            """
    }

    private func errors(_ manners: Set<ServiceManner>) -> String {
        var rules: [String] = []
        func rule(_ status: Int, _ word: String, _ kind: String, _ more: String = "") {
            let statuses = manners.contains(.errorsInside) ? "[200, \(status)]" : "\(status)"
            rules.append(
                "  - { status: \(statuses), when: \"body['/error/code'] == '\(word)'\", class: \(kind)\(more) }")
        }
        let wait =
            "(header['retry-after'] | seconds) ?? (header['x-ratelimit-reset'] | seconds) ?? body['/error/retry_after'] ?? 30s"
        rule(429, "429", "throttle", ", wait: \"\(wait)\"")
        if manners.contains(.throttlesBy403) { rule(403, "too_fast", "throttle", ", wait: 20s") }
        if manners.contains(.fullBy400) { rule(400, "no_room", "quota") }
        if manners.contains(.fullBy403) { rule(403, "no_room", "quota") }
        if manners.contains(.hidesDuplicates) { rule(403, "duplicate", "duplicate") }
        if way == .session {
            rule(404, "no_session", "restart")
            rule(422, "incomplete", "restart")
        }
        if way == .media { rule(422, "no_media", "restart") }
        if manners.contains(.errorsInside) {
            rule(401, "401", "relogin")
            rule(500, "500", "retry")
            rule(503, "503", "retry")
        }
        return rules.isEmpty ? "" : "errors:\n" + rules.joined(separator: "\n")
    }
}
