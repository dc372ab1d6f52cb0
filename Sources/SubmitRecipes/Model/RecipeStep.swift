extension Recipe {
    /// One request of an upload, with what belongs to it.
    package struct Step: Sendable {
        package let place: RecipePlace
        /// Later steps say `id.capture`.
        package let id: String
        package let when: Formula?
        /// At most one such step at once per destination.
        package let locksAccount: Bool
        package let request: Request
        package let chunks: Chunks?
        package let poll: Poll?
        /// How often it is tried before the upload continues without it; `nil` for a step that the upload needs.
        package let tries: Int?
        package let resume: ResumeRule?
        package let captures: [Capture]
        package let isRight: Formula?
        package let treatAsRight: [StatusRule]
        package let repetition: Repetition
        /// The recipe says it; where it does not, it follows from the method.
        package let saysRepetition: Bool
        /// How many seconds a service knows the key of ``Repetition/key``; `nil` for as long as it matters.
        package let keyLasts: Int64?
        /// Present if ``repetition`` is `look`. Otherwise it finds what an upload in pieces became that the service no longer
        /// knows.
        package let look: Look?
        /// What to look at where the outcome is unknown.
        package let say: RecipeTemplate?
    }

    /// What to do when a request was sent and its answer never came.
    package enum Repetition: String, Sendable, Hashable, CaseIterable {
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
    package struct Chunks: Sendable {
        package let place: RecipePlace
        /// Bytes.
        package let size: Formula
        package let multipleOf: Formula?
        package let most: Int
    }

    /// Repeats a request until the service is ready.
    package struct Poll: Sendable {
        package let place: RecipePlace
        package let until: Formula
        package let failWhen: Formula?
        /// Seconds between two requests.
        package let every: Formula
        /// Seconds in all.
        package let most: Formula
    }

    /// From where a broken chunk loop goes on.
    package enum ResumeRule: Sendable {
        /// The service is asked.
        case ask(ResumeQuestion)
        /// The next piece is sent, and an answer of this status says the right offset at the first pointer that is there.
        case fromError(status: Int, offset: [JSONPointer])
        /// From where we think we are.
        case saved
    }

    /// Asks a service how far a broken chunk loop came.
    package struct ResumeQuestion: Sendable {
        package let request: Request
        /// They count as the step's.
        package let captures: [Capture]
        /// Bytes.
        package let offset: Formula
        /// It has everything.
        package let isDone: Formula?
        /// What was begun is of no use any more, and the upload begins again.
        package let restartWhen: Formula?
    }

    /// Finds out whether a request whose answer was lost was done.
    package struct Look: Sendable {
        package let place: RecipePlace
        package let request: Request
        /// A list in the answer: ``isFound`` is asked of each element, and ``captures`` are of the first that is it.
        package let items: JSONPointer?
        /// They count as the step's.
        package let captures: [Capture]
        package let isFound: Formula
        /// How many seconds a service may take to show what it has taken: till then nothing found is no answer.
        package let settles: Int64
    }

    /// A status, with what else must hold.
    package struct StatusRule: Sendable {
        package let place: RecipePlace
        package let statuses: [StatusRange]
        package let when: Formula?
    }

    /// A status, or a hundred of them: `429`, `5xx`.
    package struct StatusRange: Sendable, Hashable {
        package let statuses: ClosedRange<Int>

        package func contains(_ status: Int) -> Bool { statuses.contains(status) }
    }

    /// Keeps something of an answer under a name.
    package struct Capture: Sendable {
        package enum Source: Sendable, Hashable {
            case json(JSONPointer)
            case xml(XMLPath)
            case header(String)
            /// The whole body.
            case text
            /// A field of a form-encoded body.
            case form(String)
        }

        package let place: RecipePlace
        package let name: String
        package let source: Source
        /// An answer without it fails.
        package let isRequired: Bool
        /// It is sealed in checkpoints and masked elsewhere.
        package let isSecret: Bool
        /// What it is where the answer does not have it.
        package let defaultValue: RecipeTemplate?
    }
}
