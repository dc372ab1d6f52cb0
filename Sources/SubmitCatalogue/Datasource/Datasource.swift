public import Submit

/// Somewhere that answers questions about records: the catalogue of this machine, or a service of others. Which one it is shows in
/// how it is made and nowhere else.
///
/// Nothing is asked that goes beyond ``CatalogueLimits``: that is a fault before anything is sent. What always has to hold of its
/// records, the source holds to by itself, whatever is asked.
public protocol Datasource: Sendable {
    /// Reads a question as people type it, `price<10 not tag=old harbour`, by the fields that the source has.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    func question(words: String) throws(CatalogueFault) -> DatasourceQuestion

    /// Reads a question as LoopBack's clients write it, `{"where": {"price": {"lt": 10}}}`, by the fields that the source has.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    func question(json: String) throws(CatalogueFault) -> DatasourceQuestion

    /// A part of the answer, in order.
    ///
    /// - Parameter mark: where the page before ended; `nil`: at the beginning. With another question it means nothing.
    /// - Throws: ``DatasourceFault``. Cancelling the task ends it at once, as `SubmitFailure.cancelled`.
    func page(_ question: DatasourceQuestion, after mark: DatasourceMark?) async throws(DatasourceFault)
        -> DatasourcePage

    /// The values that a field has in the records which are meant, each once; null is none, and of several values each counts.
    ///
    /// It never fetches all records to find out: where it would have to, it says that it was cut.
    ///
    /// - Parameters:
    ///   - question: whose filter and words count, and nothing else of it.
    ///   - limit: how many at most.
    /// - Throws: ``DatasourceFault``. Cancelling the task ends it at once, as `SubmitFailure.cancelled`.
    func distinct(
        _ field: String, of question: DatasourceQuestion, limit: Int
    ) async throws(DatasourceFault) -> DistinctValues

    /// How many records are meant.
    ///
    /// - Parameter question: whose filter and words count, and nothing else of it.
    /// - Throws: ``DatasourceFault``. Cancelling the task ends it at once, as `SubmitFailure.cancelled`.
    func count(of question: DatasourceQuestion) async throws(DatasourceFault) -> Int

    /// One record; `nil` where there is none of this name, or none that has to hold of all.
    ///
    /// - Throws: ``DatasourceFault``. Cancelling the task ends it at once, as `SubmitFailure.cancelled`.
    func single(_ id: String) async throws(DatasourceFault) -> DatasourceRecord?
}

extension Datasource {
    /// All pages, one after the other, each asked for when it is wanted.
    public func pages(_ question: DatasourceQuestion) -> DatasourcePages { DatasourcePages(self, question) }

    /// All records up to a bound, in memory.
    ///
    /// - Parameter most: how many at most.
    /// - Returns: the records, and whether there may be more.
    /// - Throws: ``DatasourceFault``.
    public func load(
        _ question: DatasourceQuestion, most: Int
    ) async throws(DatasourceFault) -> (records: [DatasourceRecord], isCut: Bool) {
        var records: [DatasourceRecord] = []
        var pages = pages(question).makeAsyncIterator()
        while let page = try await pages.next(isolation: nil) {
            records += page.records.prefix(most - records.count)
            if records.count == most { return (records, page.next != nil) }
        }
        return (records, false)
    }
}

/// Why a source does not answer.
public enum DatasourceFault: Error, Sendable, Hashable {
    /// What was asked is no question to it, or too much: correct that.
    case question(CatalogueFault)
    /// It was asked, and there is no answer. Its remedy says what to do; `renewCredentials`: sign in anew.
    case source(SubmitFailure)
}

extension DatasourceFault {
    /// Makes up a question, before anything is sent. Where in a text that nobody wrote its fault is, is not told.
    package static func asking<Value>(
        _ make: () throws(CatalogueFault) -> Value
    ) throws(DatasourceFault) -> Value {
        do {
            return try make()
        } catch {
            var fault = error
            fault.offset = nil
            throw .question(fault)
        }
    }
}

extension DatasourceFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .question(let fault): fault.description
        case .source(let failure): failure.message
        }
    }
}

/// A part of an answer.
public struct DatasourcePage: Sendable, Hashable {
    /// In order.
    public var records: [DatasourceRecord]
    /// From where the next page goes on; `nil`: there is none.
    public var next: DatasourceMark?

    /// Some records, and from where it goes on.
    public init(_ records: [DatasourceRecord], next: DatasourceMark?) { (self.records, self.next) = (records, next) }
}

/// Where a page ended. To others it is a word without meaning, which they give back to have the next one.
public struct DatasourceMark: Sendable, Hashable {
    /// In letters that stand in an address as they are.
    public let text: String

    /// What ``text`` was.
    public init(_ text: String) { self.text = text }
}

/// The values of a field.
public struct DistinctValues: Sendable, Hashable {
    /// Each once, in the order of the source.
    public var values: [RecordValue]
    /// There may be others.
    public var isCut: Bool

    /// Some values, and whether there may be others.
    public init(_ values: [RecordValue], isCut: Bool) { (self.values, self.isCut) = (values, isCut) }
}
