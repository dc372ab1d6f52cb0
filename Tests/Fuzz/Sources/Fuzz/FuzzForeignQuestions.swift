internal import Foundation

@testable internal import SubmitCatalogue

/// Reads a question to a source of others, whose fields somebody wrote down or nobody did.
func fuzzForeignQuestions(_ text: String) {
    for fields in [DatasourceFields.any, shop] {
        let reader = QuestionReader(fields)
        let read = [
            readQuestion(text, reader.question(words:)), readQuestion(text, reader.question(json:)),
            readQuestion(text) { text throws(CatalogueFault) in try DatasourceQuestion(reader.filter(json: text)) },
        ]
        for var question in read.compactMap(\.self) {
            readBack(question, reader)
            guard let simple = try? question.filter.withoutNor(), (try? simple.check()) != nil else { continue }
            question.filter = simple
            readBack(question, reader)
        }
    }
}

private let shop = DatasourceFields([
    "name": .text, "price": .number, "tags": .texts, "added": .time, "shop": .place, "new": .truth, "sum": .digest,
])

/// What is sent is what was meant, to the byte.
private func readBack(_ question: DatasourceQuestion, _ reader: QuestionReader) {
    precondition((try? question.check()) != nil)
    let json = question.json.json
    guard let read = try? reader.question(json: json) else { preconditionFailure("What was written is read: \(json)") }
    precondition(read.json.json.isSame(as: json) && read == question)
}

/// Reads the mark of a page, as it came and as one that fits a question but for its values.
func fuzzMarks(_ text: String, _ bytes: [UInt8]) {
    read(text)
    for query in questions {
        let head = [1] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: query.digest >> $0) }
        let made = Data(head + bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        guard let mark = read(made.replacing("=", with: "")) else { continue }
        var query = query
        query.mark = mark
        guard let page = try? query.answer(FuzzedStore.pictures) else { continue }
        precondition(page.pictures.count <= FuzzedStore.pictures.count)
    }
}

@discardableResult
private func read(_ text: String) -> PageMark? {
    guard let mark = try? PageMark(text) else { return nil }
    precondition((try? PageMark(mark.text)) == mark)
    return mark
}

/// By a text, a number, and what is not there always.
private let questions: [CatalogueQuery] = [[.name], [.size, .captured], [.latitude]].compactMap { fields in
    try? CatalogueQuery(order: fields.compactMap { try? CatalogueOrder($0, isDescending: true) })
}
