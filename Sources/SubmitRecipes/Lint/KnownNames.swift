/// The names that may be used at one place of a recipe, and what is known of them beforehand.
struct KnownNames {
    /// What is known of a value before there is one.
    struct Known {
        /// It may be nothing, or an empty text.
        var mayBeNothing = false
        /// Text that people or files bring, with any character in it.
        var isFree = false
        /// It opens something.
        var isSecret = false
        /// All that it can be, where that is known.
        var words: [String]?
    }

    enum Root {
        case value(Known)
        case members([String: Known])
        /// Any key may be asked for, and may have nothing.
        case lookup
    }

    var roots: [String: Root] = [:]
    /// Of steps that come later, or are the one that asks.
    var unmade: Set<String> = []

    subscript(name: String) -> Root? {
        get { roots[name] }
        set { roots[name] = newValue }
    }

    /// What names are for, where they are known at all.
    static let meanings: [String: String] = [
        "file": "the item: it is known in “upload”, “receipt” and “presence”",
        "meta": "what is told of the item: it is known in “upload” and “receipt”",
        "settings": "what is configured",
        "secret": "secrets: they stand in “auth” only, and requests show them by “auth: default”",
        "account": "what “after_login” captured",
        "album": "the album: it is known in “upload” and “albums” where the recipe has “albums”",
        "chunk": "the piece of a chunk loop: it is known in steps with “chunks”",
        "job": "the submission: it is known in “upload” and “receipt”",
        "now": "the time",
        "ask": "what “limits: ask” captured",
        "status": "the answer's status: it is known where an answer is looked at (ok_when, until, errors, …)",
        "header": "the answer's headers: they are known where an answer is looked at (ok_when, until, errors, …)",
        "body": "the answer's JSON: it is known where an answer is looked at (ok_when, until, errors, …)",
        "xml": "the answer's XML: it is known where an answer is looked at (ok_when, until, errors, …)",
        "text": "the answer's text: it is known where an answer is looked at (ok_when, until, errors, …)",
        "receipt": "the receipt: it is known in “presence”, “remove” and “albums: add”",
        "item": "an element of a list: it is known in “only”, and in “found” of a look with “items”",
        "page": "a page of a listing: it is known in “albums: list”",
        "redirect": "where a login comes back to: it is known in “register”",
        "auth": "what is asked for: it is known in “register”",
        "identity": "what “identity” captured: it is known there",
        "presence": "what “presence” captured: it is known there",
    ]

    /// Those that are known where no step's captures are: steps may be called so.
    static let local: Set<String> = ["item", "page", "redirect", "auth", "identity", "presence"]

    /// With the names of an item that is brought there.
    func withItem() -> KnownNames {
        var names = self
        let free = Known(isFree: true)
        names["file"] = .members([
            "name": free, "stem": free, "ext": Known(mayBeNothing: true, isFree: true), "size": Known(),
            "mime": Known(),
            "kind": Known(words: Recipe.Limits.ItemKind.allCases.map(\.rawValue)), "modified": Known(),
            "sha256": Known(),
            "sha1": Known(), "md5": Known(), "dropbox_hash": Known(), "base64": Known(),
        ])
        names["meta"] = .members([
            "title": free, "caption": Known(mayBeNothing: true, isFree: true),
            "tags": Known(mayBeNothing: true, isFree: true), "taken": Known(mayBeNothing: true),
        ])
        names["job"] = .members(["id": Known(), "attempt": Known()])
        return names
    }

    /// With those of an answer.
    func withAnswer() -> KnownNames {
        var names = self
        names["status"] = .value(Known())
        names["text"] = .value(Known(mayBeNothing: true, isFree: true))
        for name in ["header", "body", "xml"] { names[name] = .lookup }
        return names
    }

    func with(_ name: String, _ members: [String: Known]) -> KnownNames {
        var names = self
        names[name] = .members(members)
        return names
    }

    /// With the captures of an answer under a name.
    ///
    /// - Parameter isCertain: the answer was there, and was as it should be.
    func with(_ name: String, _ captures: [Recipe.Capture], isCertain: Bool = true) -> KnownNames {
        var members: [String: Known] = [:]
        if case .members(let known) = roots[name] { members = known }
        for capture in captures { members[capture.name] = Known(capture, isCertain: isCertain) }
        return with(name, members)
    }
}

extension KnownNames.Known {
    init(_ capture: Recipe.Capture, isCertain: Bool) {
        let hasDefault = capture.defaultValue.map { $0.constant?.isEmpty == false } ?? false
        self.init(mayBeNothing: !isCertain || !(capture.isRequired || hasDefault), isSecret: capture.isSecret)
    }

    init(_ setting: Recipe.Setting) {
        self.init(
            mayBeNothing: !setting.isRequired && setting.defaultValue.isNothing, isFree: setting.kind == .text,
            words: { if case .choice(let words) = setting.kind { words } else { nil } }())
    }
}
