@testable internal import SubmitCatalogue

/// Reads what people and programs ask of the catalogue, in each of the forms in which it may be asked.
func fuzzQuestions(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let reader = LoopBackReader(clock: clock, offersExpressions: true)
    let read = [
        readQuestion(text) { text throws(CatalogueFault) in
            let typed = try PlainWordsReader(clock: clock).question(text)
            return try CatalogueQuery(typed.filter, search: typed.search, order: order)
        },
        readQuestion(text) { text throws(CatalogueFault) in try CatalogueQuery(reader.filter(text), order: order) },
        readQuestion(text, reader.query(_:)), readQuestion(text, reader.query(parameters:)),
    ]
    for query in read.compactMap(\.self) { ask(query) }
    // What stands before a parameter moves its faults, but for those of the whole.
    let (moved, before) = (place(of: "x=1&" + text, reader.query(parameters:)), "x=1&".utf8.count)
    precondition(moved == 0 || moved == place(of: text, reader.query(parameters:)).map { $0 + before })
    let own = LocalCatalogue(FuzzedStore(), revealsPlaces: true, clock: clock)
    _ = readQuestion(text, own.question(words:))
    _ = readQuestion(text, own.question(json:))
    fuzzForeignQuestions(text)
    fuzzMarks(text, bytes)
}

/// Where there is summer time, by which hours are missing and come twice.
private let clock = AskersClock(now: 1_795_777_777) { ($0 / 15_778_800).isMultiple(of: 2) ? 3600 : 7200 }
/// Of a field that is missing now and then, and not the usual one.
private let order = [(try? CatalogueOrder(.captured, isDescending: true)) ?? .newest]

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
private func ask(_ query: CatalogueQuery) {
    precondition((try? query.filter.check()) != nil && query.order.count <= CatalogueLimits.order)
    precondition((1...CatalogueLimits.page).contains(query.limit) && query.skip >= 0)
    guard let page = try? query.answer(FuzzedStore.pictures) else { return precondition(query.mark != nil) }
    precondition(page.pictures.count <= query.limit)
    var whole = query
    (whole.skip, whole.limit, whole.mark) = (0, CatalogueLimits.page, nil)
    let answer = ids(whole)
    if whole.search == nil { precondition(pages(of: whole) == answer) }
    // What takes more room when it is written may be too much: that is told.
    guard let question = try? whole.datasourceQuestion() else { return }
    readBack(question, answer, isPlain: whole.filter.fields.allSatisfy { $0.holds != .texts })
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
private func readBack(_ question: DatasourceQuestion, _ answer: [Int64]?, isPlain: Bool) {
    let reader = LoopBackReader(offersExpressions: true)
    let json = question.json.json
    guard let read = try? reader.query(json) else { preconditionFailure("What was written is read: \(json)") }
    precondition((try? read.datasourceQuestion())?.json.json == json && ids(read) == answer)
    guard isPlain, let simple = try? question.filter.withoutNor(), (try? simple.check()) != nil else { return }
    var plain = question
    plain.filter = simple
    guard let asked = try? reader.query(plain.json.json) else { preconditionFailure("\(plain.json.json)") }
    precondition(Set(ids(asked) ?? []) == Set(answer ?? []))
}
