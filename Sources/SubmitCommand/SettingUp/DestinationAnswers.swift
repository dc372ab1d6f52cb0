internal import Foundation
internal import Submit
internal import SubmitConfiguration

/// What somebody said of a destination, each answer checked as it is given.
struct DestinationAnswers {
    /// As the configuration calls it.
    let typeName: String
    let type: SubmitterType
    private(set) var values: [(key: String, value: String)] = []
    /// The questions that were asked, in their order.
    private(set) var questions: [(key: String, title: String)] = []
    private let earlier: EarlierAnswers

    /// - Throws: as ``TypeCatalog/type(named:)``.
    init(
        _ typeName: String, _ catalog: DestinationCatalog, earlier: EarlierAnswers = EarlierAnswers()
    ) throws(SubmitFailure) {
        self.earlier = earlier
        self.typeName = try catalog.types.canonicalName(typeName)
        type = try catalog.types.type(named: typeName)
    }

    subscript(key: String) -> String? { values.last { $0.key == key }?.value }

    /// - Throws: for what cannot be its value.
    mutating func set(_ key: String, _ value: String) throws(SubmitFailure) {
        if let fault = fault(key, value) { throw .usage(fault) }
        values.removeAll { $0.key == key }
        values.append((key, value))
    }

    /// Asks until the answer can be its value. A question that is not to be asked again keeps its answer.
    ///
    /// - Parameters:
    ///   - usual: what an empty line stands for; empty: it is left out then.
    ///   - read: asks for the answer, other than by one line.
    mutating func ask(
        _ key: String, _ question: String, usual: String? = nil,
        by read: ((_ earlier: String?) throws(SubmitFailure) -> String)? = nil
    ) throws(SubmitFailure) {
        questions.append((key, String(question.prefix { !"(,?".contains($0) }).trimmingCharacters(in: .whitespaces)))
        var answer = earlier.values[key] ?? ""
        if earlier.asks(key) {
            if let read {
                answer = try read(earlier.values[key])
            } else {
                answer = try Interview.line(question, usual: earlier.values[key] ?? usual) { fault(key, $0) }
            }
        }
        if !answer.isEmpty { try set(key, answer) }
    }

    mutating func askForBucket(_ question: String) throws(SubmitFailure) {
        try ask("bucket", "\(question)'s name")
        try ask("create_bucket", "Create it if it doesn't exist?") { (earlier) throws(SubmitFailure) in
            try Interview.yes("Create it if it doesn't exist?", usual: earlier != nil) ? "yes" : ""
        }
    }

    /// Whether photos are sorted into folders by date.
    mutating func askForSorting() throws(SubmitFailure) {
        let templates = ["", "{year}/{month}/{name}", "{year}/{month}/{day}/{name}"]
        let titles = ["all in one folder", "by month, as in 2026/11", "by day, as in 2026/11/28"]
        let question = "How are photos to be sorted?"
        try ask("template", question) { (earlier) throws(SubmitFailure) in
            templates[try Interview.choice(question, titles, usual: earlier.flatMap(templates.firstIndex) ?? 0)]
        }
    }

    private func fault(_ key: String, _ value: String) -> String? {
        switch type.fault(of: key, value) {
        case nil: nil
        case .value(let complaint): complaint
        case .unknown, .secret: "“\(key)” is no setting of \(type.name) that can be given here."
        }
    }
}

/// Answers that were given before, and the question that is asked again.
struct EarlierAnswers {
    /// By key. An empty line stands for them.
    var values: [String: String] = [:]
    /// The type that they are for.
    var type: String?
    /// The key of the question; `nil`: all questions are asked.
    var again: String?

    /// The keys of all questions that were asked. Another answer may lead to others.
    var asked: Set<String> = []

    func asks(_ key: String) -> Bool { again == nil || again == key || !asked.contains(key) }
}
