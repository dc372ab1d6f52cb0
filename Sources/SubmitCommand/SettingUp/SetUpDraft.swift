internal import Submit
internal import SubmitConfiguration

/// A destination that somebody sets up: the answers so far, and the question that is asked again.
struct SetUpDraft {
    let possession: Possession
    var name: String?
    private(set) var earlier = EarlierAnswers()
    private var answers: DestinationAnswers?
    private var secrets: [String: String]?
    private var asksForSecrets = true

    init(_ possession: Possession, name: String?) {
        self.possession = possession
        self.name = name
    }

    /// What is to become of a destination that cannot be used now.
    enum Decision {
        /// One question is asked again, and all other answers are kept.
        case again
        case keep
        case leaveOut
    }

    var hasQuestions: Bool { answers != nil }

    mutating func note(_ answers: DestinationAnswers) {
        self.answers = answers
        earlier = EarlierAnswers(
            values: Dictionary(answers.values.map { ($0.key, $0.value) }) { $1 }, type: answers.type.name,
            asked: Set(answers.questions.map(\.key)))
    }

    /// Asks this question again, and no other one.
    mutating func askAgain(_ key: String) {
        earlier.again = key
        asksForSecrets = false
    }

    /// The secrets that make the destination one that can be used; those of before unless they are to be asked for again.
    ///
    /// - Throws: as ``NewDestination/secrets(with:fromStdin:_:)``.
    mutating func secrets(
        of new: NewDestination, _ catalog: DestinationCatalog
    ) throws(SubmitFailure) -> [String: String] {
        let values = answers?.values ?? []
        if !asksForSecrets, let secrets, catalog.trouble(of: new.name, new.type, values, secrets) == nil {
            return secrets
        }
        let given = try new.secrets(with: values, fromStdin: false, catalog)
        secrets = given
        return given
    }

    /// Asks which question is to be asked again, if any.
    ///
    /// - Parameter mayKeep: it may be written down as it is.
    mutating func decide(after failure: SubmitFailure, mayKeep: Bool) throws(SubmitFailure) -> Decision {
        guard let answers else { return .leaveOut }
        let questions = answers.questions
        let hasSecrets = answers.type.settings.contains { $0.kind == .secret }
        var choices = questions.map { question in
            "change “\(question.title)”" + (answers[question.key].map { " (\($0))" } ?? "")
        }
        if hasSecrets { choices.append("type the password or key again") }
        let first = choices.count
        if mayKeep { choices.append("keep it as it is: it may work later") }
        choices.append("leave it out")
        // A message names what it complains of.
        let named = questions.firstIndex { question in
            answers[question.key].map { !$0.isEmpty && failure.message.contains($0) } ?? false
        }
        let usual = hasSecrets && failure.remedy == .renewCredentials ? questions.count : named ?? 0
        let choice = try Interview.choice("It cannot be used now. What is to be done?", choices, usual: usual)
        if choice == choices.count - 1 { return .leaveOut }
        if choice >= first { return .keep }
        earlier.again = choice < questions.count ? questions[choice].key : ""
        asksForSecrets = choice == questions.count
        return .again
    }
}
