extension Recipe {
    /// One request of an upload, with what belongs to it.
    struct Step: Sendable {
        let place: RecipePlace
        /// Later steps say `id.capture`.
        let id: String
        let when: Formula?
        /// At most one such step at once per destination.
        let locksAccount: Bool
        let request: Request
        let chunks: Chunks?
        let poll: Poll?
        /// How often it is tried before the upload continues without it; `nil` for a step that the upload needs.
        let tries: Int?
        let resume: ResumeRule?
        let captures: [Capture]
        let isRight: Formula?
        let treatAsRight: [StatusRule]
        let repetition: Repetition
        /// The recipe says it; where it does not, it follows from the method.
        let saysRepetition: Bool
        /// How many seconds a service knows the key of ``Repetition/key``; `nil` for as long as it matters.
        let keyLasts: Int64?
        /// Present if ``repetition`` is `look`. Otherwise it finds what an upload in pieces became that the service no longer
        /// knows.
        let look: Look?
        /// What to look at where the outcome is unknown.
        let say: RecipeTemplate?
    }

    /// What to do when a request was sent and its answer never came.
    enum Repetition: String, Sendable, Hashable, CaseIterable {
        /// Send it again.
        case safe
        /// Send it again: it holds a key by which the service knows it.
        case key
        /// Look whether it was done.
        case look
        /// Nobody can know.
        case never
    }

    /// Repeats a request once for each piece of the file.
    struct Chunks: Sendable {
        let place: RecipePlace
        /// Bytes.
        let size: Formula
        let multipleOf: Formula?
        let most: Int
    }

    /// Repeats a request until the service is ready.
    struct Poll: Sendable {
        let place: RecipePlace
        let until: Formula
        let failWhen: Formula?
        /// Seconds between two requests.
        let every: Formula
        /// Seconds in all.
        let most: Formula
    }

    /// From where a broken chunk loop goes on.
    enum ResumeRule: Sendable {
        /// The service is asked.
        case ask(ResumeQuestion)
        /// The next piece is sent, and an answer of this status says the right offset at the first pointer that is there.
        case fromError(status: Int, offset: [JSONPointer])
        /// From where we think we are.
        case saved
    }

    /// Asks a service how far a broken chunk loop came.
    struct ResumeQuestion: Sendable {
        let request: Request
        /// They count as the step's.
        let captures: [Capture]
        /// Bytes.
        let offset: Formula
        /// It has everything.
        let isDone: Formula?
        /// What was begun is of no use any more, and the upload begins again.
        let restartWhen: Formula?
    }

    /// Finds out whether a request whose answer was lost was done.
    struct Look: Sendable {
        let place: RecipePlace
        let request: Request
        /// A list in the answer: ``isFound`` is asked of each element, and ``captures`` are of the first that is it.
        let items: JSONPointer?
        /// They count as the step's.
        let captures: [Capture]
        let isFound: Formula
        /// How many seconds a service may take to show what it has taken: till then nothing found is no answer.
        let settles: Int64
    }

    /// A status, with what else must hold.
    struct StatusRule: Sendable {
        let place: RecipePlace
        let statuses: [StatusRange]
        let when: Formula?
    }

    /// A status, or a hundred of them: `429`, `5xx`.
    struct StatusRange: Sendable, Hashable {
        let statuses: ClosedRange<Int>

        func contains(_ status: Int) -> Bool { statuses.contains(status) }
    }

    /// Keeps something of an answer under a name.
    struct Capture: Sendable {
        enum Source: Sendable, Hashable {
            case json(JSONPointer)
            case xml(XMLPath)
            case header(String)
            /// The whole body.
            case text
            /// A field of a form-encoded body.
            case form(String)
        }

        let place: RecipePlace
        let name: String
        let source: Source
        /// An answer without it fails.
        let isRequired: Bool
        /// It is sealed in checkpoints and masked elsewhere.
        let isSecret: Bool
        /// What it is where the answer does not have it.
        let defaultValue: RecipeTemplate?
    }
}
