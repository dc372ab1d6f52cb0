internal import SubmitCatalogue
internal import SubmitEngine

extension SubmitManager {
    /// Those that are meant, the one accepted first first.
    func pictures(_ selection: PictureSelection) -> AsyncThrowingStream<CataloguePicture, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    var query = try CatalogueQuery(
                        selection.filter, search: selection.search, order: [.oldest], limit: 200)
                    while true {
                        let page = try await pictures.page(query)
                        for picture in page.pictures { continuation.yield(picture) }
                        guard let next = page.next, !Task.isCancelled else { break }
                        query.mark = next
                    }
                    continuation.finish()
                } catch let fault as DatasourceFault {
                    continuation.finish(throwing: WrittenQuestion.failure(fault, in: nil))
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
