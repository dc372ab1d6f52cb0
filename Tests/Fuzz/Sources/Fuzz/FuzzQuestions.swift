@testable internal import SubmitCatalogue

/// Reads what people and programs ask of the catalogue, in each of the forms in which it may be asked.
func fuzzQuestions(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let reader = QuestionReader(.pictures, clock: clock)
    let read = [
        readQuestion(text, reader.question(words:)), readQuestion(text, reader.question(json:)),
        readQuestion(text, reader.question(parameters:)),
        readQuestion(text) { text throws(CatalogueFault) in try DatasourceQuestion(reader.filter(json: text)) },
    ]
    for question in read.compactMap(\.self) { ask(question) }
    // What stands before a parameter moves its faults, but for those of the whole.
    let (moved, before) = (place(of: "x=1&" + text, reader.question(parameters:)), "x=1&".utf8.count)
    precondition(moved == 0 || moved == place(of: text, reader.question(parameters:)).map { $0 + before })
    let own = LocalCatalogue(FuzzedStore(), revealsPlaces: true, clock: clock)
    _ = readQuestion(text, own.question(words:))
    _ = readQuestion(text, own.question(json:))
    fuzzForeignQuestions(text)
    fuzzMarks(text, bytes)
}

/// Where there is summer time, by which hours are missing and come twice.
private let clock = AskersClock(now: 1_795_777_777) { ($0 / 15_778_800).isMultiple(of: 2) ? 3600 : 7200 }

/// It can be read, or it is told what is wrong, and where in the text.
func readQuestion<Value>(_ text: String, _ reading: (String) throws(CatalogueFault) -> Value) -> Value? {
    do throws(CatalogueFault) {
        return try reading(text)
    } catch {
        precondition(error.offset.map { (0...text.utf8.count).contains($0) } ?? false)
        precondition(error.sentence.hasSuffix(".") && !error.sentence.unicodeScalars.contains(where: \.steersTerminals))
        _ = error.explained(of: text) { _, _ in "" }
        return nil
    }
}

/// Where a text is at fault.
private func place<Value>(of text: String, _ reading: (String) throws(CatalogueFault) -> Value) -> Int? {
    do throws(CatalogueFault) {
        _ = try reading(text)
        return nil
    } catch {
        return error.offset
    }
}

/// What was read is within the limits, and can be asked.
private func ask(_ question: DatasourceQuestion) {
    precondition((try? question.check()) != nil)
    guard var whole = try? CatalogueQuery(question), let page = try? whole.answer(FuzzedStore.pictures) else {
        preconditionFailure("What was read can be asked: \(question.json.json)")
    }
    precondition(page.pictures.count <= whole.limit)
    (whole.skip, whole.limit) = (0, CatalogueLimits.page)
    // By a field that is missing now and then, and not the usual one.
    if whole.order.isEmpty { whole.order = [(try? CatalogueOrder(.captured, isDescending: true)) ?? .newest] }
    if whole.search == nil { precondition(pages(of: whole) == ids(whole)) }
    readBack(question, isPlain: question.filter.conditions.allSatisfy { $0.meaning?.field.holds != .texts })
}

private func ids(_ query: CatalogueQuery) -> [Int64]? {
    (try? query.answer(FuzzedStore.pictures))?.pictures.map(\.id)
}

/// However the answer is cut: with marks that went to others and came back.
private func pages(of query: CatalogueQuery) -> [Int64] {
    var (query, found) = (query, [Int64]())
    query.limit = 2
    while let page = try? query.answer(FuzzedStore.pictures), found.count <= FuzzedStore.pictures.count {
        found += page.pictures.map(\.id)
        guard let next = page.next, let mark = try? PageMark(next.text) else { break }
        precondition(mark == next)
        query.mark = mark
    }
    return found
}

/// What is written is read as the same question, also by whoever knows neither `nor` nor `exists`.
///
/// - Parameter isPlain: no field has several values, whose opposites say something else.
private func readBack(_ question: DatasourceQuestion, isPlain: Bool) {
    let reader = QuestionReader(.pictures, clock: clock)
    let json = question.json.json
    guard let read = try? reader.question(json: json) else { preconditionFailure("What was written is read: \(json)") }
    precondition(read == question && read.json.json.isSame(as: json))
    guard isPlain, let simple = try? question.filter.withoutNor(), (try? simple.check()) != nil else { return }
    var plain = question
    (plain.filter, plain.skip) = (simple, 0)
    guard let asked = try? CatalogueQuery(reader.question(json: plain.json.json)), var meant = try? CatalogueQuery(read)
    else { preconditionFailure("\(plain.json.json)") }
    meant.skip = 0
    precondition(Set(ids(asked) ?? []) == Set(ids(meant) ?? []))
}
