internal import Submit
internal import SubmitPrograms

/// Speaking with one remote's program. Blocks its thread; one request at a time, so `ASYNC` is not offered.
///
/// Source: “external special remote protocol” and its appendix on exports, in git-annex's design documents, versions 1
/// and 2.
struct AnnexSession: Sendable {
    let line: LineSession
    let configuration: AnnexConfiguration
    let memory: AnnexMemory
    /// A folder for the program's files: it takes it for the Git directory.
    let folder: PrivateFolder
    let isCancelled: @Sendable () -> Bool

    /// A reply that ends a request: its word, and what stands after it.
    struct Reply {
        var word: String
        var rest: String
    }

    /// Lines in one request that are no progress; a program that writes more has lost its way.
    private static let mostLines = 10_000
    private static let unsupported = "UNSUPPORTED-REQUEST"

    // MARK: - Beginning

    /// Greets it, sets it up once, and prepares it.
    func begin() throws(SubmitFailure) {
        let greeting = try receive(within: .seconds(30))
        guard greeting == "VERSION 1" || greeting == "VERSION 2" else {
            throw line.broken("does not speak git-annex's protocol: it began with “\(shown(greeting))”")
        }
        _ = try request("EXTENSIONS INFO GETGITREMOTENAME UNAVAILABLERESPONSE", ["EXTENSIONS"])
        if configuration.exports {
            let reply = try request("EXPORTSUPPORTED", ["EXPORTSUPPORTED-SUCCESS", "EXPORTSUPPORTED-FAILURE"])
            guard reply?.word == "EXPORTSUPPORTED-SUCCESS" else {
                throw misconfigured(
                    "cannot keep the names of photos; set “exporttree” to no to store them by their digests")
            }
        }
        if !memory.isSetUp(configuration.fingerprint) {
            memory.setUp(nil)
            let reply = try request("INITREMOTE", ["INITREMOTE-SUCCESS", "INITREMOTE-FAILURE"])
            guard reply?.word == "INITREMOTE-SUCCESS" else {
                throw misconfigured("could not be set up; correct its configuration\(said(reply?.rest))")
            }
            memory.setUp(configuration.fingerprint)
        }
        let reply = try request("PREPARE", ["PREPARE-SUCCESS", "PREPARE-FAILURE"])
        guard reply?.word == "PREPARE-SUCCESS" else {
            // Not to be set up again: that may make a folder anew where a disk is not mounted.
            throw SubmitFailure(
                .hold(.unreachable, after: nil), code: "unreachable",
                message: "\(configuration.program) cannot be used for \(configuration.destination)\(said(reply?.rest))."
            )
        }
    }

    private func misconfigured(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "misconfigured",
            message: "\(configuration.program) for \(configuration.destination) \(what).")
    }

    // MARK: - Requests

    /// Where a copy is: by its key, or by its name as well.
    struct Place: Sendable {
        let key: AnnexKey
        /// `nil` where copies have no names.
        let name: String?
    }

    enum Looked {
        case there, notThere
        case unknown(String)
    }

    func look(_ place: Place) throws(SubmitFailure) -> Looked {
        try announce(place)
        let reply = try request(
            place.name == nil ? "CHECKPRESENT \(place.key.text)" : "CHECKPRESENTEXPORT \(place.key.text)",
            ["CHECKPRESENT-SUCCESS", "CHECKPRESENT-FAILURE", "CHECKPRESENT-UNKNOWN"])
        switch reply?.word {
        case "CHECKPRESENT-SUCCESS": return .there
        case "CHECKPRESENT-FAILURE": return .notThere
        default:
            let reason = reply.map { said(afterKey: $0.rest) } ?? ": it does not know the request"
            return .unknown("\(configuration.program) cannot tell what is at \(configuration.destination)\(reason).")
        }
    }

    func store(_ file: String, at place: Place, sent: @Sendable (Int64) -> Void) throws(SubmitFailure) {
        try transfer("STORE", file, place, sent)
    }

    func retrieve(_ place: Place, to file: String) throws(SubmitFailure) {
        try transfer("RETRIEVE", file, place) { _ in }
    }

    private func transfer(
        _ direction: String, _ file: String, _ place: Place, _ sent: @Sendable (Int64) -> Void
    ) throws(SubmitFailure) {
        try announce(place)
        let verb = place.name == nil ? "TRANSFER" : "TRANSFEREXPORT"
        let reply = try request(
            "\(verb) \(direction) \(place.key.text) \(file)", ["TRANSFER-SUCCESS", "TRANSFER-FAILURE"], progress: sent)
        let expected = "\(direction) \(place.key.text)"
        guard let reply, reply.rest == expected || reply.rest.hasPrefix(expected + " ") else {
            throw line.broken("answered another request than it was asked")
        }
        guard reply.word == "TRANSFER-SUCCESS" else {
            let what = direction == "STORE" ? "store" : "hand out"
            throw SubmitFailure(
                .retry(after: nil), code: "not-transferred",
                message: "\(configuration.program) did not \(what) “\(place.name ?? place.key.text)” at "
                    + "\(configuration.destination)\(said(String(reply.rest.dropFirst(expected.count)))).")
        }
    }

    func remove(_ place: Place) throws(SubmitFailure) {
        try announce(place)
        let reply = try request(
            place.name == nil ? "REMOVE \(place.key.text)" : "REMOVEEXPORT \(place.key.text)",
            ["REMOVE-SUCCESS", "REMOVE-FAILURE"])
        guard reply?.word == "REMOVE-SUCCESS" else {
            throw SubmitFailure(
                .retry(after: nil), code: "not-removed",
                message: "\(configuration.program) did not remove “\(place.name ?? place.key.text)” from "
                    + "\(configuration.destination)\(reply.map { said(afterKey: $0.rest) } ?? "").")
        }
    }

    private func announce(_ place: Place) throws(SubmitFailure) {
        if let name = place.name { try send("EXPORT \(name)") }
    }

    // MARK: - Lines

    /// Makes a request and answers what it is asked until it is done.
    ///
    /// - Returns: `nil` where the program does not know the request.
    private func request(
        _ text: String, _ replies: Set<String>, progress: @Sendable (Int64) -> Void = { _ in }
    ) throws(SubmitFailure) -> Reply? {
        try send(text)
        var lines = 0
        var farthest: Int64 = 0
        while true {
            let message = try receive(within: configuration.patience)
            let (word, rest) = Self.split(message)
            if replies.contains(word) { return Reply(word: word, rest: rest) }
            if word == Self.unsupported { return nil }
            if word == "PROGRESS", let count = Int64(rest), count > farthest {
                farthest = count
                progress(count)
                continue
            }
            lines += 1
            guard lines <= Self.mostLines else { throw line.broken("talks without an end") }
            try answer(word, rest)
        }
    }

    private func answer(_ word: String, _ rest: String) throws(SubmitFailure) {
        let (first, others) = Self.split(rest)
        switch word {
        case "PROGRESS", "DEBUG", "INFO": break
        case "GETCONFIG": try send("VALUE \(configuration.value(rest, memory))")
        case "SETCONFIG": memory.configure(first, others)
        case "GETCREDS":
            let known = memory.credentials(rest)
            try send(
                "CREDS \(known?.user ?? configuration.user ?? "") \(known?.password ?? configuration.password ?? "")")
        case "SETCREDS":
            let (user, password) = Self.split(others)
            memory.setCredentials(first, user, password)
        case "GETUUID": try send("VALUE \(configuration.uuid)")
        case "GETGITDIR": try send("VALUE \(folder.path)")
        case "GETGITREMOTENAME": try send("VALUE \(configuration.destination)")
        case "GETWANTED": try send("VALUE \(memory.wanted)")
        case "SETWANTED": memory.wanted = rest
        case "DIRHASH": try send("VALUE \(AnnexKey.mixedFolders(rest))")
        case "DIRHASH-LOWER": try send("VALUE \(AnnexKey.lowerFolders(rest))")
        case "GETSTATE": try send("VALUE \(memory.note(of: rest))")
        case "SETSTATE": memory.setNote(others, of: first)
        case "SETURLPRESENT", "SETURIPRESENT": memory.setURL(others, of: first, isThere: true)
        case "SETURLMISSING", "SETURIMISSING": memory.setURL(others, of: first, isThere: false)
        case "GETURLS":
            for url in memory.urls(of: first) where url.hasPrefix(others) { try send("VALUE \(url)") }
            try send("VALUE ")
        case "ERROR": throw line.broken("gave up: “\(shown(rest))”")
        default: throw line.broken("said “\(shown("\(word) \(rest)"))”, which is no answer to what it was asked")
        }
    }

    private static func split(_ text: String) -> (String, String) {
        guard let blank = text.firstIndex(of: " ") else { return (text, "") }
        return (String(text[..<blank]), String(text[text.index(after: blank)...]))
    }

    private func send(_ text: String) throws(SubmitFailure) {
        try line.send(text, within: configuration.patience, isCancelled: isCancelled)
    }

    private func receive(within patience: Duration) throws(SubmitFailure) -> String {
        try line.receive(within: patience, isCancelled: isCancelled)
    }

    // MARK: - Words

    private func shown(_ text: String) -> String {
        ForeignText.line(text)
    }

    private func said(_ text: String?) -> String {
        let text = text.map(shown) ?? ""
        return text.isEmpty ? "" : ": “\(text)”"
    }

    private func said(afterKey rest: String) -> String { said(Self.split(rest).1) }
}
