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
    package let settings: [Setting]
    /// Where requests may go. The first is the base of URLs that begin with `/`.
    package let hosts: [Host]
    package let authorization: Authorization
    /// Anybody may see what is sent there.
    package let isPublic: Bool
    /// By which settings nobody else sees it all the same.
    package let privateWhen: Formula?
    package let limits: Limits
    package let identity: Identity?
    /// At least one.
    package let upload: [Step]
    package let receipt: ReceiptRule
    package let presence: PresenceRule?
    package let removal: RemovalRule?
    package let albums: Albums?
    /// The first that matches counts.
    package let errors: [ErrorRule]

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
    package struct Setting: Sendable {
        package enum Kind: Sendable, Hashable {
            case text, integer, boolean, url, secret
            case choice([String])
        }

        package let place: RecipePlace
        package let name: String
        package let kind: Kind
        package let summary: String
        package let isRequired: Bool
        /// What it is where nobody set it.
        package let defaultValue: RecipeValue
    }

    /// An origin, or a family of them, that requests and credentials may go to.
    package struct Host: Sendable {
        package enum Kind: Sendable, Hashable {
            /// `https://api.example.com`, without a path; any port may be said.
            case origin(String)
            /// `https://*.example.com`: the domain itself is not meant. What follows the `*`, with its dot.
            case subdomains(String)
            /// A setting of kind `url`.
            case setting(String)
        }

        package let place: RecipePlace
        package let kind: Kind
    }

    package struct Limits: Sendable {
        package struct Item: Sendable {
            /// Bytes.
            package var mostBytes: Int64?
            /// `nil`: all.
            package var mimes: [String]?
        }

        /// What the service says when it is asked, never more than the literals. Names: `ask.CAPTURE`.
        package struct Question: Sendable {
            package let place: RecipePlace
            package let request: Request
            package let captures: [Capture]
            package let mostBytes: [ItemKind: Formula]
            package let mostPixels: [ItemKind: Formula]
            package let mimes: [ItemKind: Formula]
            package let captionLimit: Formula?
        }

        package enum ItemKind: String, Sendable, Hashable, CaseIterable {
            case photo, video, other
        }

        package var kinds: Set<ItemKind> = [.photo, .video]
        package var items: [ItemKind: Item] = [:]
        /// In characters; 0 where it takes none, `nil` without limit.
        package var captionLimit: Int?
        /// At most this many at once; 1: one after the other.
        package var parallel = 4
        /// Seconds between the starts of two submissions.
        package var gap: Int64 = 0
        package var question: Question?
    }

    package struct Identity: Sendable {
        package let place: RecipePlace
        package let request: Request
        /// `id` and `name`, and what else there is.
        package let captures: [Capture]
        package let isRight: Formula?
    }

    /// How sure one may be: the strongest that holds counts.
    package struct EvidenceRule: Sendable {
        package var verified: Formula?
        package var echoed: Formula?
        package var size: Formula?
        package var accepted: Formula?
    }

    package struct ReceiptRule: Sendable {
        package let place: RecipePlace
        package let id: RecipeTemplate
        package let url: RecipeTemplate?
        package let wasThere: Formula?
        /// What was made there names the item. If it doesn't, the item is missing from it; `nil` where that can't happen.
        package let holdsItem: Formula?
        /// A sentence for people about the copy; nothing where it is nothing.
        package let note: RecipeTemplate?
        package let evidence: EvidenceRule
    }

    /// Asks whether an item is there. Names: `receipt` (id, url), and those of an answer.
    package struct PresenceRule: Sendable {
        package let place: RecipePlace
        package let request: Request
        package let captures: [Capture]
        package let isRight: Formula?
        package let isThere: Formula?
        /// Answers that say it is not there, whatever else they say.
        package let gone: [StatusRule]
        package let evidence: EvidenceRule
    }

    /// Removes an item. Names: `receipt`.
    package struct RemovalRule: Sendable {
        package let place: RecipePlace
        package let request: Request
        package let isRight: Formula?
        /// Answers that say it was not there, whatever else they say.
        package let gone: [StatusRule]
    }

    package struct Albums: Sendable {
        package let place: RecipePlace
        /// `nil`: albums cannot be listed; their name is all one needs.
        package let list: Listing?
        package let creation: Creation?
        /// `nil`: the upload's steps name the album.
        package let addition: Addition?

        /// Names in the request: `page.token`, `page.number`.
        package struct Listing: Sendable {
            package let place: RecipePlace
            package let request: Request
            package let items: JSONPointer
            package let id: JSONPointer
            package let title: JSONPointer
            /// Which items are albums one may add to; all where it is `nil`. Names: `item['/pointer']`.
            package let only: Formula?
            /// When an album was created. Of several with one name the oldest is used.
            package let created: JSONPointer?
            package let next: Paging
        }

        package enum Paging: Sendable {
            case none
            /// Until the answer holds nothing there, or `isMore` does not hold. The token goes into the next request.
            case token(JSONPointer, to: TokenPlace, isMore: Formula?)
            /// Counted from a number under a name of the query, until a page is empty or `isMore` does not hold.
            case page(from: Int64, query: String, isMore: Formula?)
            /// The `Link` header's `rel="next"` (RFC 8288).
            case link
        }

        package enum TokenPlace: Sendable {
            case query(String)
            /// Another request, which says `page.token`; or nothing where the listing's own request does.
            case request(Request?)
        }

        /// Captures `id`. Names: `album.name`; with ``needsItem`` the upload's steps and `receipt` too.
        package struct Creation: Sendable {
            package let place: RecipePlace
            package let request: Request
            package let captures: [Capture]
            package let isRight: Formula?
            package let treatAsRight: [StatusRule]
            /// It is made with its first item, after that was uploaded.
            package let needsItem: Bool
        }

        /// After the upload. Names: `album.id`, `album.name`, the upload's steps, `receipt`.
        package struct Addition: Sendable {
            package let place: RecipePlace
            package let request: Request
            package let isRight: Formula?
            package let treatAsRight: [StatusRule]
        }
    }

    /// What an answer means that is none of those hoped for.
    package struct ErrorRule: Sendable {
        package enum Class: String, Sendable, Hashable, CaseIterable {
            case retry, throttle, refresh, relogin, quota, duplicate, unsupported, fatal, restart
            case tooLarge = "too_large"
        }

        package let place: RecipePlace
        /// Empty: any.
        package let statuses: [StatusRange]
        package let when: Formula?
        package let kind: Class
        /// Seconds.
        package let wait: Formula?
        /// What to tell people.
        package let say: RecipeTemplate?
    }
}
