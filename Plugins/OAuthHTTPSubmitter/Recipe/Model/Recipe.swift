/// One service, as a recipe's text describes it: how to sign in, what to send, and what the answers mean.
///
/// A recipe of a stranger can do little: it reaches no hosts but its own, reads no file but the item, and everything in
/// it that repeats has an end.
public struct Recipe: Sendable {
    /// The file it came from, as it was named.
    public let path: String
    /// SHA-256 of its text in hexadecimal: a checkpoint of another text is not used.
    public let digest: String
    /// The name of its type of destinations, such as `mastodon`.
    public let service: String
    /// For sentences, such as `Mastodon`.
    public let title: String
    /// One line on what it is.
    public let summary: String
    /// Where what the recipe says of the service comes from.
    public let facts: Facts

    /// What is configured, besides what ``authorization`` brings with it.
    let settings: [Setting]
    /// Where requests may go. The first is the base of URLs that begin with `/`.
    let hosts: [Host]
    let authorization: Authorization
    /// Anybody may see what is sent there.
    let isPublic: Bool
    /// By which settings nobody else sees it all the same.
    let privateWhen: Formula?
    let limits: Limits
    let identity: Identity?
    /// At least one.
    let upload: [Step]
    let receipt: ReceiptRule
    let presence: PresenceRule?
    let removal: RemovalRule?
    let albums: Albums?
    /// The first that matches counts.
    let errors: [ErrorRule]

    /// Where its knowledge comes from.
    public struct Facts: Sendable, Hashable {
        /// `2026-11-21`
        public let checked: String
        /// The pages it was written from, as URLs.
        public let sources: [String]
        /// With what it was tried.
        public let tested: String
    }
}

extension Recipe {
    struct Setting: Sendable {
        enum Kind: Sendable, Hashable {
            case text, integer, boolean, url, secret
            case choice([String])
        }

        let place: RecipePlace
        let name: String
        let kind: Kind
        let summary: String
        let isRequired: Bool
        /// What it is where nobody set it.
        let defaultValue: RecipeValue
    }

    /// An origin, or a family of them, that requests and credentials may go to.
    struct Host: Sendable {
        enum Kind: Sendable, Hashable {
            /// `https://api.example.com`, without a path; any port may be said.
            case origin(String)
            /// `https://*.example.com`: the domain itself is not meant. What follows the `*`, with its dot.
            case subdomains(String)
            /// A setting of kind `url`.
            case setting(String)
        }

        let place: RecipePlace
        let kind: Kind
    }

    struct Limits: Sendable {
        struct Item: Sendable {
            /// Bytes.
            var mostBytes: Int64?
            /// `nil`: all.
            var mimes: [String]?
        }

        /// What the service says when it is asked, never more than the literals. Names: `ask.CAPTURE`.
        struct Question: Sendable {
            let place: RecipePlace
            let request: Request
            let captures: [Capture]
            let mostBytes: [ItemKind: Formula]
            let mostPixels: [ItemKind: Formula]
            let mimes: [ItemKind: Formula]
            let captionLimit: Formula?
        }

        enum ItemKind: String, Sendable, Hashable, CaseIterable {
            case photo, video, other
        }

        var kinds: Set<ItemKind> = [.photo, .video]
        var items: [ItemKind: Item] = [:]
        /// In characters; 0 where it takes none, `nil` without limit.
        var captionLimit: Int?
        /// At most this many at once; 1: one after the other.
        var parallel = 4
        /// Seconds between the starts of two submissions.
        var gap: Int64 = 0
        var question: Question?
    }

    struct Identity: Sendable {
        let place: RecipePlace
        let request: Request
        /// `id` and `name`, and what else there is.
        let captures: [Capture]
        let isRight: Formula?
    }

    /// How sure one may be: the strongest that holds counts.
    struct EvidenceRule: Sendable {
        var verified: Formula?
        var echoed: Formula?
        var size: Formula?
        var accepted: Formula?
    }

    struct ReceiptRule: Sendable {
        let place: RecipePlace
        let id: RecipeTemplate
        let url: RecipeTemplate?
        let wasThere: Formula?
        /// What was made there names the item. If it doesn't, the item is missing from it; `nil` where that can't happen.
        let holdsItem: Formula?
        /// A sentence for people about the copy; nothing where it is nothing.
        let note: RecipeTemplate?
        let evidence: EvidenceRule
    }

    /// Asks whether an item is there. Names: `receipt` (id, url), and those of an answer.
    struct PresenceRule: Sendable {
        let place: RecipePlace
        let request: Request
        let captures: [Capture]
        let isRight: Formula?
        let isThere: Formula?
        /// Answers that say it is not there, whatever else they say.
        let gone: [StatusRule]
        let evidence: EvidenceRule
    }

    /// Removes an item. Names: `receipt`.
    struct RemovalRule: Sendable {
        let place: RecipePlace
        let request: Request
        let isRight: Formula?
        /// Answers that say it was not there, whatever else they say.
        let gone: [StatusRule]
    }

    struct Albums: Sendable {
        let place: RecipePlace
        /// `nil`: albums cannot be listed; their name is all one needs.
        let list: Listing?
        let creation: Creation?
        /// `nil`: the upload's steps name the album.
        let addition: Addition?

        /// Names in the request: `page.token`, `page.number`.
        struct Listing: Sendable {
            let place: RecipePlace
            let request: Request
            let items: JSONPointer
            let id: JSONPointer
            let title: JSONPointer
            /// Which items are albums one may add to; all where it is `nil`. Names: `item['/pointer']`.
            let only: Formula?
            /// When an album was created. Of several with one name the oldest is used.
            let created: JSONPointer?
            let next: Paging
        }

        enum Paging: Sendable {
            case none
            /// Until the answer holds nothing there, or `isMore` does not hold. The token goes into the next request.
            case token(JSONPointer, to: TokenPlace, isMore: Formula?)
            /// Counted from a number under a name of the query, until a page is empty or `isMore` does not hold.
            case page(from: Int64, query: String, isMore: Formula?)
            /// The `Link` header's `rel="next"` (RFC 8288).
            case link
        }

        enum TokenPlace: Sendable {
            case query(String)
            /// Another request, which says `page.token`; or nothing where the listing's own request does.
            case request(Request?)
        }

        /// Captures `id`. Names: `album.name`; with ``needsItem`` the upload's steps and `receipt` too.
        struct Creation: Sendable {
            let place: RecipePlace
            let request: Request
            let captures: [Capture]
            let isRight: Formula?
            let treatAsRight: [StatusRule]
            /// It is made with its first item, after that was uploaded.
            let needsItem: Bool
        }

        /// After the upload. Names: `album.id`, `album.name`, the upload's steps, `receipt`.
        struct Addition: Sendable {
            let place: RecipePlace
            let request: Request
            let isRight: Formula?
            let treatAsRight: [StatusRule]
        }
    }

    /// What an answer means that is none of those hoped for.
    struct ErrorRule: Sendable {
        enum Class: String, Sendable, Hashable, CaseIterable {
            case retry, throttle, refresh, relogin, quota, duplicate, unsupported, fatal, restart
            case tooLarge = "too_large"
        }

        let place: RecipePlace
        /// Empty: any.
        let statuses: [StatusRange]
        let when: Formula?
        let kind: Class
        /// Seconds.
        let wait: Formula?
        /// What to tell people.
        let say: RecipeTemplate?
    }
}
