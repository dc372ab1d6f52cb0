import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A kind of service: its recipe, and what stands there.
struct Shape: Sendable, CustomStringConvertible {
    let name: String
    let recipe: String
    /// Bytes of the item.
    var count = 1000
    var album: String?
    /// Statuses of requests whose repetition the service cannot tell from another: where it ends as unknown.
    var mayEndUnknown = false
    /// A fresh service: the script, and how many items there are.
    let make: @Sendable () -> (script: @Sendable (Seen) -> HTTPResponse, items: @Sendable () -> [[UInt8]])

    var description: String { name }

    private static let head = """
        recipe: 1
        service: fake
        title: Fake
        summary: A fake service
        facts: { checked: 2026-11-21, sources: ["https://example.org/"], tested: "against a stand-in" }
        settings:
          server: { kind: url, summary: "Its address", required: true }
          api_key: { kind: secret, summary: "Its key" }
        hosts: ["{{ settings.server }}"]
        auth: { kind: header, name: x-key, value: "{{ secret.api_key }}" }

        """

    static let all = [dropbox, google, flickr, segments, mastodon, immich, wordpress]

    // MARK: A session with an offset that errors correct

    static let dropbox = Shape(
        name: "dropbox",
        recipe: head + """
            upload:
              - id: start
                request: { method: POST, url: /start, headers_json: { Arg: { close: false } } }
                capture: { sid: { json: /session_id } }
                repeat: safe
              - id: append
                request:
                  method: POST
                  url: /append
                  headers_json: { Arg: { cursor: { session_id: "{{ start.sid }}", offset: "{{ chunk.offset }}" } } }
                  body: { raw: range }
                chunks: { size: 300, multiple_of: 100, most: 100 }
                resume: { from_error: { status: 409, offset: [/error/correct_offset] } }
                repeat: safe
              - id: finish
                lock: account
                request:
                  method: POST
                  url: /finish
                  headers_json:
                    Arg: { cursor: { session_id: "{{ start.sid }}", offset: "{{ file.size }}" }, path: "/{{ file.name }}" }
                capture: { id: { json: /id }, hash: { json: /content_hash } }
                ok_when: finish.hash == file.dropbox_hash
                repeat: safe
            receipt: { id: "{{ finish.id }}", verified_when: "finish.hash == file.dropbox_hash" }
            errors:
              - { status: 409, when: "body['/error'] == 'not_found'", class: restart }
            """
    ) {
        struct State {
            var sessions: [String: [UInt8]] = [:]
            var files: [String: [UInt8]] = [:]
        }
        let state = Locked(State())
        return (
            { seen in
                let arg = JSONText.read(Array((seen["Arg"] ?? "").utf8)) ?? .null
                func at(_ pointer: String) -> RecipeValue { arg.at(JSONPointer(pointer)!) }
                return state.withLock { state in
                    if seen.path == "/start" {
                        let id = "s\(state.sessions.count)"
                        state.sessions[id] = []
                        return json(200, "{\"session_id\":\"\(id)\"}")
                    }
                    guard let id = at("/cursor/session_id").asText, let there = state.sessions[id],
                        let offset = at("/cursor/offset").asInteger
                    else { return json(409, "{\"error\":\"not_found\"}") }
                    guard offset == there.count else {
                        return json(
                            409, "{\"error\":{\".tag\":\"incorrect_offset\",\"correct_offset\":\(there.count)}}")
                    }
                    if seen.path == "/append" {
                        state.sessions[id]! += seen.body
                        return json(200, "null")
                    }
                    // The same bytes at the same path are the same file.
                    state.files[at("/path").asText ?? ""] = there
                    let blocks = RecipeValue.text("").asText.map { _ in there.dropboxHash } ?? ""
                    return json(200, "{\"id\":\"id:1\",\"content_hash\":\"\(blocks)\"}")
                }
            }, { state.withLock { Array($0.files.values) } }
        )
    }

    // MARK: A resumable session that can be asked

    static let google = Shape(
        name: "google",
        recipe: head + """
            upload:
              - id: start
                request:
                  method: POST
                  url: /uploads
                  headers: { Command: start, Raw-Size: "{{ file.size }}" }
                capture:
                  url: { header: Upload-URL, secret: true }
                  granularity: { header: Granularity }
                repeat: safe
              - id: bytes
                request:
                  method: POST
                  url: "{{ start.url }}"
                  headers: { Command: "{{ chunk.is_last | bool01 }}", Offset: "{{ chunk.offset }}" }
                  body: { raw: range }
                chunks: { size: 300, multiple_of: start.granularity, most: 100 }
                resume:
                  ask:
                    request: { method: POST, url: "{{ start.url }}", headers: { Command: query } }
                    capture: { received: { header: Size-Received } }
                  offset: bytes.received
                capture: { token: { text: true, secret: true } }
                repeat: safe
              - id: create
                lock: account
                request: { method: POST, url: /create, body: { json: { token: "{{ bytes.token }}" } } }
                capture: { id: { json: /results/0/item/id }, code: { json: /results/0/status/code, optional: true } }
                ok_when: (create.code ?? 0) == 0
                repeat: safe
            receipt: { id: "{{ create.id }}", accepted_when: "true" }
            errors:
              - { status: [404], class: restart }
            """
    ) {
        struct State {
            var uploads: [String: [UInt8]] = [:]
            var final: Set<String> = []
            var items: [String: [UInt8]] = [:]
        }
        let state = Locked(State())
        return (
            { seen in
                state.withLock { state in
                    if seen.path == "/uploads" {
                        let id = "u\(state.uploads.count)"
                        state.uploads[id] = []
                        return plain(
                            200, "",
                            [("Upload-URL", FakeService.url + "/session?upload_id=" + id), ("Granularity", "200")])
                    }
                    if seen.path == "/session" {
                        guard let id = seen.query["upload_id"], let there = state.uploads[id] else { return plain(404) }
                        if seen["Command"] == "query" { return plain(200, "", [("Size-Received", "\(there.count)")]) }
                        if state.final.contains(id), seen.body.isEmpty { return plain(200, "token-" + id) }
                        guard seen["Offset"] == "\(there.count)", !state.final.contains(id) else { return plain(400) }
                        state.uploads[id]! += seen.body
                        guard seen["Command"] == "1" else { return plain(200) }
                        state.final.insert(id)
                        return plain(200, "token-" + id)
                    }
                    let token = seen.json("/token").asText ?? ""
                    guard let bytes = state.uploads[String(token.dropFirst(6))] else {
                        return json(200, "{\"results\":[{\"status\":{\"code\":3,\"message\":\"Failed\"}}]}")
                    }
                    // Identical bytes are folded into one.
                    let id = state.items.first { $0.value == bytes }?.key ?? "i\(state.items.count)"
                    state.items[id] = bytes
                    return json(200, "{\"results\":[{\"status\":{\"message\":\"OK\"},\"item\":{\"id\":\"\(id)\"}}]}")
                }
            }, { state.withLock { Array($0.items.values) } }
        )
    }

    // MARK: XML, a ticket, an album that needs an item

    static let flickr = Shape(
        name: "flickr",
        recipe: head + """
            upload:
              - id: up
                request:
                  method: POST
                  url: /upload
                  body:
                    multipart:
                      - { name: title, text: "{{ meta.title }}" }
                      - { name: tags, text: "job:{{ job.id }}" }
                      - { name: photo, file: true }
                capture: { ticket: { xml: rsp/ticketid } }
                ok_when: xml['rsp@stat'] == 'ok'
                repeat: look
                look:
                  request: { method: GET, url: /search, query: { tags: "job:{{ job.id }}" } }
                  capture: { ticket: { json: /ticket } }
                  found: up.ticket != null
                say: "look at {{ settings.server }}"
              - id: wait
                request: { method: GET, url: /tickets, query: { tickets: "{{ up.ticket }}" } }
                poll: { until: "wait.done == 1", fail_when: "wait.done == 2", every: 3s, most: 10m }
                capture: { done: { json: /ticket/0/complete }, photo: { json: /ticket/0/photoid } }
            receipt: { id: "{{ wait.photo }}" }
            albums:
              list: { request: { method: GET, url: /sets }, items: /sets, id: /id, title: /title, next: { page: 1, as: page } }
              create:
                request: { method: POST, url: /sets, query: { title: "{{ album.name }}", primary: "{{ receipt.id }}" } }
                capture: { id: { json: /id } }
                needs_item: true
              add:
                request: { method: POST, url: "/sets/{{ album.id }}/add", query: { photo: "{{ receipt.id }}" } }
                treat_as_ok: [ { status: 409 } ]
            errors:
              - { when: "xml['rsp/err@code'] == '9'", class: duplicate }
              - { when: "xml['rsp/err@code'] == '105'", class: retry }
              - { when: "xml['rsp/err@code'] == '98'", class: relogin }
            """, album: "Summer"
    ) {
        struct State {
            var photos: [String: [UInt8]] = [:]
            var tickets: [String: Int] = [:]
            var jobs: [String: String] = [:]
            var sets: [(id: String, title: String, photos: Set<String>)] = []
        }
        let state = Locked(State())
        return (
            { seen in
                state.withLock { state in
                    switch seen.path {
                    case "/upload":
                        let ticket = "t\(state.photos.count)"
                        state.photos[ticket] = seen.body
                        state.jobs[seen.part("tags") ?? ""] = ticket
                        return xml(200, "<?xml version=\"1.0\"?><rsp stat=\"ok\"><ticketid>\(ticket)</ticketid></rsp>")
                    case "/search":
                        return json(200, state.jobs[seen.query["tags"] ?? ""].map { "{\"ticket\":\"\($0)\"}" } ?? "{}")
                    case "/tickets":
                        let ticket = seen.query["tickets"] ?? ""
                        state.tickets[ticket, default: 0] += 1
                        let isReady = state.tickets[ticket]! > 2
                        return json(
                            200,
                            "{\"ticket\":[{\"complete\":\(isReady ? 1 : 0)\(isReady ? ",\"photoid\":\"p-\(ticket)\"" : "")}]}"
                        )
                    case "/sets" where seen.method == "GET":
                        let page = Int(seen.query["page"] ?? "") ?? 1
                        let shown = state.sets.dropFirst(page - 1).prefix(1)
                        let list = shown.map { "{\"id\":\"\($0.id)\",\"title\":\"\($0.title)\"}" }
                        return json(200, "{\"sets\":[\(list.joined(separator: ","))]}")
                    case "/sets":
                        guard let photo = seen.query["primary"], photo.hasPrefix("p-") else { return json(400, "{}") }
                        state.sets.append(("set\(state.sets.count)", seen.query["title"] ?? "", [photo]))
                        return json(200, "{\"id\":\"\(state.sets.last!.id)\"}")
                    default:
                        let id = seen.path.split(separator: "/").dropFirst().first.map(String.init)
                        guard let index = state.sets.firstIndex(where: { $0.id == id }) else { return json(404, "{}") }
                        let isNew = state.sets[index].photos.insert(seen.query["photo"] ?? "").inserted
                        return json(isNew ? 200 : 409, "{}")
                    }
                }
            },
            {
                state.withLock { state in
                    // Two sets of one name would be as wrong as two photos.
                    Set(state.sets.map(\.title)).count == state.sets.count
                        ? Array(state.photos.values) : state.sets.map { Array($0.id.utf8) }
                }
            }
        )
    }

    // MARK: Segments by number, and a post that nothing makes safe

    static let segments = Shape(
        name: "segments",
        recipe: head + """
            upload:
              - id: init
                request: { method: POST, url: /media, body: { json: { total: "{{ file.size }}", type: "{{ file.mime }}" } } }
                capture: { id: { json: /data/id } }
                repeat: safe
              - id: append
                request:
                  method: POST
                  url: "/media/{{ init.id }}/append"
                  body:
                    multipart:
                      - { name: segment_index, text: "{{ chunk.index }}" }
                      - { name: media, range: true }
                chunks: { size: 256, most: 999 }
                resume: { saved: true }
                repeat: safe
              - id: final
                request: { method: POST, url: "/media/{{ init.id }}/finalize" }
                capture: { state: { json: /data/state, optional: true } }
                repeat: safe
              - id: ready
                when: final.state == 'pending'
                request: { method: GET, url: "/media/{{ init.id }}" }
                poll:
                  until: ready.state == 'succeeded'
                  fail_when: ready.state == 'failed'
                  every: ready.after ?? 3
                  most: 1h
                capture: { state: { json: /data/state }, after: { json: /data/check_after_secs, optional: true } }
              - id: post
                lock: account
                request: { method: POST, url: /posts, body: { json: { text: "{{ meta.caption }}", media: ["{{ init.id }}"] } } }
                capture: { id: { json: /data/id } }
                repeat: never
                say: "look at {{ settings.server }} whether the post is there"
            receipt: { id: "{{ post.id }}", url: "{{ settings.server }}/{{ post.id }}", accepted_when: "true" }
            errors:
              - { status: 404, class: restart }
            """, mayEndUnknown: true
    ) {
        struct State {
            var media: [String: [Int: String]] = [:]
            var polls = 0
            var posts: [[UInt8]] = []
        }
        let state = Locked(State())
        return (
            { seen in
                state.withLock { state in
                    let words = seen.path.split(separator: "/").map(String.init)
                    if seen.path == "/media" {
                        state.media["m\(state.media.count)"] = [:]
                        return json(200, "{\"data\":{\"id\":\"m\(state.media.count - 1)\"}}")
                    }
                    if seen.path == "/posts" {
                        state.posts.append(seen.body)
                        return json(201, "{\"data\":{\"id\":\"post\(state.posts.count)\"}}")
                    }
                    guard words.count > 1, state.media[words[1]] != nil else { return json(404, "{}") }
                    switch words.last {
                    case "append":
                        state.media[words[1]]![Int(seen.part("segment_index") ?? "") ?? -1] = seen.part("media")
                        return json(200, "{\"data\":{\"expires_at\":1}}")
                    case "finalize":
                        guard state.media[words[1]]!.count == 4 else { return json(400, "{\"title\":\"segments\"}") }
                        return json(200, "{\"data\":{\"state\":\"pending\",\"check_after_secs\":1}}")
                    default:
                        state.polls += 1
                        return json(
                            200,
                            "{\"data\":{\"state\":\"\(state.polls > 2 ? "succeeded" : "in_progress")\",\"check_after_secs\":2}}"
                        )
                    }
                }
            }, { state.withLock { $0.posts } }
        )
    }

    // MARK: 202, 206, and a key that makes a post safe

    static let mastodon = Shape(
        name: "mastodon",
        recipe: head + """
            upload:
              - id: media
                request:
                  method: POST
                  url: /media
                  body: { multipart: [ { name: file, file: true }, { name: description, text: "{{ meta.caption }}" } ] }
                capture: { id: { json: /id } }
                repeat: safe
              - id: ready
                request: { method: GET, url: "/media/{{ media.id }}", expect: [200, 206] }
                poll: { until: "status == 200", every: 2s, most: 10m }
              - id: post
                request:
                  method: POST
                  url: /statuses
                  headers: { Idempotency-Key: "{{ job.id }}" }
                  body: { form: { "media_ids[]": "{{ media.id }}", status: "{{ meta.caption }}" } }
                capture: { id: { json: /id }, url: { json: /url } }
                repeat: key
            receipt: { id: "{{ post.id }}", url: "{{ post.url }}" }
            """
    ) {
        struct State {
            var media = 0
            var polls = 0
            var posts: [String: [UInt8]] = [:]
        }
        let state = Locked(State())
        return (
            { seen in
                state.withLock { state in
                    switch seen.path {
                    case "/media":
                        state.media += 1
                        return json(202, "{\"id\":\(state.media),\"url\":null}")
                    case "/statuses":
                        state.posts[seen["Idempotency-Key"] ?? "none\(state.posts.count)"] = seen.body
                        return json(200, "{\"id\":\"77\",\"url\":\"\(FakeService.url)/@me/77\"}")
                    default:
                        state.polls += 1
                        return json(state.polls > 2 ? 200 : 206, "{\"id\":\"1\"}")
                    }
                }
            }, { state.withLock { Array($0.posts.values) } }
        )
    }

    // MARK: A service that knows bytes by their digest

    static let immich = Shape(
        name: "immich",
        recipe: head + """
            upload:
              - id: asset
                request:
                  method: POST
                  url: /assets
                  headers: { x-checksum: "{{ file.sha1 }}" }
                  continue: true
                  body: { multipart: [ { name: assetData, file: true } ] }
                capture: { id: { json: /id }, status: { json: /status } }
                repeat: safe
            receipt: { id: "{{ asset.id }}", was_there: "asset.status == 'duplicate'", accepted_when: "asset.id != null" }
            """
    ) {
        let assets = Locked<[String: [UInt8]]>([:])
        return (
            { seen in
                assets.withLock { assets in
                    let sum = seen["x-checksum"] ?? ""
                    let isThere = assets[sum] != nil
                    assets[sum] = seen.body
                    return isThere
                        ? json(200, "{\"id\":\"a\",\"status\":\"duplicate\"}")
                        : json(201, "{\"id\":\"a\",\"status\":\"created\"}")
                }
            }, { assets.withLock { Array($0.values) } }
        )
    }

    // MARK: A post that can be looked for

    static let wordpress = Shape(
        name: "wordpress",
        recipe: head + """
            upload:
              - id: media
                request:
                  method: POST
                  url: /media
                  query: { slug: "{{ job.id }}" }
                  headers: { Content-Disposition: "attachment; filename=\\"{{ file.name | header_safe }}\\"" }
                  body: { raw: file }
                capture: { id: { json: /id }, url: { json: /source_url } }
                repeat: look
                look:
                  request: { method: GET, url: /media, query: { slug: "{{ job.id }}" } }
                  capture: { id: { json: /0/id }, url: { json: /0/source_url } }
                  found: media.id != null
                say: "look at {{ settings.server }}"
              - id: caption
                when: meta.caption != null
                request: { method: POST, url: "/media/{{ media.id }}", body: { json: { caption: "{{ meta.caption }}" } } }
                repeat: safe
            receipt: { id: "{{ media.id }}", url: "{{ media.url }}" }
            """
    ) {
        let media = Locked<[(slug: String, bytes: [UInt8])]>([])
        return (
            { seen in
                media.withLock { media in
                    func shown(_ index: Int) -> String {
                        "{\"id\":\(index),\"source_url\":\"\(FakeService.url)/\(index).jpg\"}"
                    }
                    let slug = seen.query["slug"]
                    if seen.path == "/media", seen.method == "GET" {
                        let found = media.indices.filter { media[$0].slug == slug }.map(shown)
                        return json(200, "[\(found.joined(separator: ","))]")
                    }
                    if seen.path == "/media" {
                        media.append((slug ?? "", seen.body))
                        return json(201, shown(media.count - 1))
                    }
                    return json(200, "{}")
                }
            }, { media.withLock { $0.map(\.bytes) } }
        )
    }
}

extension [UInt8] {
    /// As Dropbox computes it, for less than 4 MiB.
    fileprivate var dropboxHash: String {
        Hexadecimal.text(of: SmallDigest.sha256(SmallDigest.sha256(self)))
    }
}
