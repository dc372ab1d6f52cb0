internal import Submit
internal import SubmitConfiguration

/// What somebody said of a destination, each answer checked as it is given.
struct DestinationAnswers {
    /// As the configuration calls it.
    let typeName: String
    let type: SubmitterType
    private(set) var values: [(key: String, value: String)] = []
    /// Answers that were given before. An empty line stands for them.
    private let earlier: [String: String]

    /// - Parameter earlier: answers that were given before, by key.
    /// - Throws: as ``TypeCatalog/type(named:)``.
    init(
        _ typeName: String, _ catalog: DestinationCatalog, earlier: [String: String] = [:]
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

    /// Asks until the answer can be its value.
    ///
    /// - Parameter usual: what an empty line stands for; empty: it is left out then.
    mutating func ask(_ key: String, _ question: String, usual: String? = nil) throws(SubmitFailure) {
        let answer = try Interview.line(question, usual: earlier[key] ?? usual) { fault(key, $0) }
        if !answer.isEmpty { try set(key, answer) }
    }

    mutating func askForBucket(_ question: String) throws(SubmitFailure) {
        try ask("bucket", "\(question)'s name")
        if try Interview.yes("Is it to be made where it is not there?", usual: earlier["create_bucket"] != nil) {
            try set("create_bucket", "yes")
        }
    }

    /// Whether photos are sorted into folders by date.
    mutating func askForSorting() throws(SubmitFailure) {
        let templates = ["{name}", "{year}/{month}/{name}", "{year}/{month}/{day}/{name}"]
        let titles = ["all in one folder", "by month, as in 2026/11", "by day, as in 2026/11/28"]
        let index = try Interview.choice(
            "How are photos to be sorted?", titles, usual: earlier["template"].flatMap(templates.firstIndex) ?? 0)
        if index > 0 { try set("template", templates[index]) }
    }

    private func fault(_ key: String, _ value: String) -> String? {
        switch type.fault(of: key, value) {
        case nil: nil
        case .value(let complaint): complaint
        case .unknown, .secret: "“\(key)” is no setting of \(type.name) that can be given here."
        }
    }
}
