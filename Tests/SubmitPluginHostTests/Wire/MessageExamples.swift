import Submit
import SubmitPluginProtocol
import SystemPackage

/// One message of every kind at least, with and without what may be left out.
enum MessageExamples {
    static let digests = Digests([
        .sha256: Array(0..<32), .sha1: Array(0..<20), .md5: Array(0..<16), .crc32c: [0, 1, 254, 255],
    ])

    static func item(source: FilePath = "") -> MediaItem {
        MediaItem(
            source: source, name: "Bärbel “1”.jpg", size: .max,
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
            modified: Timestamp(nanoseconds: -1), captured: CaptureTime("2024-05-17T18:42:07-03:30"),
            caption: "two\nlines \u{0}\u{1f600}", tags: ["sea", ""], digests: digests)
    }

    static func plainItem(source: FilePath = "") -> MediaItem {
        MediaItem(
            source: source, name: "x", size: 0, type: .other, modified: Timestamp(nanoseconds: 0),
            digests: Digests([.sha256: Array(repeating: 7, count: 32)]))
    }

    static let attempt = AttemptDescription(
        submission: "7f3a-1", attempt: 3, item: item(source: "/home/ada/a.jpg"), path: "/home/ada/a.jpg",
        options: SubmissionOptions(album: "Summer/Harbour", onConflict: .overwrite, verification: .readback),
        disproved: "Summer/a.jpg",
        checkpoint: "upload 17")

    static let plainAttempt = AttemptDescription(
        submission: "7f3a-2", attempt: 1, item: plainItem(), path: nil, options: SubmissionOptions(),
        checkpoint: nil)

    static let receipts = [
        Receipt(remoteID: "a", evidence: .size),
        Receipt(
            remoteID: "a/b", url: "https://shelf.example/a", evidence: .verified, wasThere: true, note: "As told.",
            marks: ["etag": "\"17\"", "": ""]),
    ]

    static let leftovers = [
        Leftover(id: "12", name: "a.jpg"),
        Leftover(id: "13", name: "b.jpg", begun: Timestamp(nanoseconds: 1_715_964_127_123_456_789), bytes: 17),
    ]

    static let requests: [HostRequest] =
        [
            .hello(versions: [1, 2], host: "submit 1.0"),
            .configure(destination: "attic", settings: ["shelf": "/srv", "a": ""], secrets: ["token", "key"]),
            .configure(destination: "attic", settings: [:], secrets: []), .check, .submit(attempt),
            .submit(plainAttempt), .discard(attempt), .discard(plainAttempt), .albums, .createAlbum("a/b"),
            .leftovers(sparing: []), .leftovers(sparing: ["upload 17"]), .removeAlbum("a/b"),
            .beginLogin(client: "submit on harbour"), .pollLogin, .logout,
        ]
        + receipts.flatMap {
            [.presence(item(), $0), .presence(item(), $0, .readback), .link($0, seconds: 3600), .remove($0)]
        }
        + leftovers.map { .removeLeftover($0) }

    static let failures =
        [
            Remedy.retry(after: nil), .retry(after: .seconds(5)), .tryAnother(after: nil),
            .tryAnother(after: .seconds(5)), .wait(after: .seconds(5)),
            .renewCredentials, .giveUp, .sourceLost, .cancelled, .outcomeUnknown,
        ].map { SubmitFailure($0, code: "some-code", message: "A sentence.") }
        + [HoldReason.unreachable, .full, .throttled, .misconfigured].flatMap { reason in
            [nil, .milliseconds(7)].map {
                SubmitFailure(.hold(reason, after: $0), code: "full", message: "A sentence.")
            }
        }

    static let hostMessages: [HostMessage] =
        requests.enumerated().map { .request(id: $0.offset, $0.element) }
        + [
            .cancel(id: 9), .answer(question: 1, .nothing), .answer(question: 2, .text("")),
            .answer(question: 3, .text("s3cr3t")), .answer(question: 4, .bytes([])),
            .answer(question: 5, .bytes(Array(0...255))), .unsupported(question: 6), .unknown("frobnicate", id: 4),
            .unknown("frobnicate", id: nil),
        ] + failures.map { .denied(question: 7, $0) }

    static let facts = Capabilities(
        ordering: .concurrent(8), minimumGap: .milliseconds(20), kinds: [.photo, .video], mimeTypes: ["image/jpeg"],
        maximumSize: [.video: 1 << 32], captionLimit: 500, supportsAlbums: true, canResume: true,
        requiresNetwork: false,
        digests: [.md5, .crc32c], digestLimits: [.md5: 1 << 20], canReadBack: true, usesCaptureTime: true,
        visibility: .public)

    static let settings = [
        SettingKey("a", .text, summary: "Text"), SettingKey("b", .integer, summary: "A number", isRequired: true),
        SettingKey("c", .boolean, summary: "Yes or no"), SettingKey("d", .path, summary: "A folder"),
        SettingKey("e", .url, summary: "A place"),
        SettingKey("f", .choice(["x", "y"]), summary: "One of them"),
        SettingKey("g", .secret, summary: "What opens it", environment: ["SHELF_TOKEN", "TOKEN"]),
    ]

    /// With the kind of request that they end.
    static let outcomes: [(RequestKind, RequestOutcome)] =
        [
            (.hello, .hello(TypeDescription(summary: "A shelf", capabilities: facts))),
            (
                .hello,
                .hello(
                    TypeDescription(
                        summary: "A shelf",
                        capabilities: Capabilities(ordering: .sequential, requiresNetwork: true), settings: settings,
                        silenceSeconds: 60))
            ),
            (.configure, .configured(ConfiguredDescription())),
            (
                .configure,
                .configured(
                    ConfiguredDescription(
                        capabilities: facts, facets: Set(FacetName.allCases), longestLink: 60, loginSecrets: ["token"]))
            ),
            (.check, .text("It is there.")), (.presence, .presence(.present(.echoed))), (.presence, .presence(.absent)),
            (.presence, .presence(.changed(.size))), (.presence, .presence(.changed(.digest))),
            (.presence, .presence(.changed(.kind))),
            (.presence, .presence(.unknown("It does not answer."))), (.albums, .albums([])),
            (.albums, .albums(["a", "a/b"])), (.link, .link("https://shelf.example/a")), (.leftovers, .leftovers([])),
            (.leftovers, .leftovers(leftovers)),
            (.beginLogin, .loginBegun(LoginPrompt(url: "https://shelf.example", life: .seconds(600)))),
            (.pollLogin, .login(.pending(after: .seconds(5)))),
            (.pollLogin, .login(.done(LoginGrant(account: "ada", settings: ["user": "ada"], secrets: ["t": "s"])))),
            (.logout, .logout(.revoked)), (.logout, .logout(.impossible("Remove it there."))),
        ] + receipts.map { (.submit, .receipt($0)) }
        + [RequestKind.discard, .createAlbum, .removeLeftover, .remove, .removeAlbum].map { ($0, .nothing) }

    static let questions: [HostQuestion] = [
        .secret("token"), .checkpoint(id: 3, "upload 17"), .checkpoint(id: 3, nil),
        .read(id: 3, offset: 1 << 40, length: 262_144), .unchanged(id: 3), .note(topic: "server"),
        .keepNote(topic: "server", "slow"), .keepNote(topic: "server", nil),
    ]

    /// Those that end no request as done.
    static let submitterMessages: [SubmitterMessage] =
        failures.map { .failed(id: 1, $0) } + questions.map { .question(5, $0) } + [
            .unsupported(id: 2), .progress(id: 1, sent: nil, landed: nil), .progress(id: 1, sent: 5, landed: nil),
            .progress(id: 1, sent: .max, landed: 3), .log("It took 3 ms."), .unknown("weather", question: 4),
            .unknown("weather", question: nil),
        ]
}
