internal import Submit

/// The pages of an answer, each asked for when it is wanted: who stops, stops the asking.
public struct DatasourcePages: AsyncSequence, Sendable {
    private let source: any Datasource
    private let question: DatasourceQuestion

    init(_ source: any Datasource, _ question: DatasourceQuestion) {
        (self.source, self.question) = (source, question)
    }

    /// The first page comes first, also where it is empty.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source, question: question) }

    /// Asks for one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any Datasource
        fileprivate let question: DatasourceQuestion
        private var last: DatasourcePage?
        private var isOver = false

        fileprivate init(source: any Datasource, question: DatasourceQuestion) {
            (self.source, self.question) = (source, question)
        }

        /// The next page; `nil` after the last.
        ///
        /// - Throws: ``DatasourceFault``; also where the source gives one page again and again, as one that knows no pages does.
        ///   After that there is none.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DatasourceFault) -> DatasourcePage? {
            if isOver { return nil }
            isOver = true
            let page = try await source.page(question, after: last?.next)
            if let last, !page.records.isEmpty, page.records == last.records {
                throw .source(
                    SubmitFailure(
                        .giveUp, code: "same-page",
                        message:
                            "The source gives the same page again instead of the next one: ask for one page only."))
            }
            // The last page of a source that cannot tell is an empty one.
            if last != nil, page.records.isEmpty { return nil }
            isOver = page.next == nil
            last = page
            return page
        }

        /// The same, wherever it is called.
        ///
        /// - Throws: ``DatasourceFault``.
        public mutating func next() async throws(DatasourceFault) -> DatasourcePage? { try await next(isolation: nil) }
    }
}
