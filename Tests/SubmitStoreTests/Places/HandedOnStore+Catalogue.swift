import Submit
import SubmitCatalogue
import SubmitStore

extension HandedOnStore {
    func pictures(_ query: CatalogueQuery) async throws(SubmitFailure) -> CataloguePage {
        try await reading { (store) throws(SubmitFailure) in try await store.pictures(query) }
    }

    func countPictures(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(SubmitFailure) -> Int {
        try await reading { (store) throws(SubmitFailure) in try await store.countPictures(filter, search) }
    }

    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, after: CatalogueKey?, limit: Int
    ) async throws(SubmitFailure) -> [CatalogueKey] {
        try await reading { (store) throws(SubmitFailure) in
            try await store.distinct(field, filter, search, after: after, limit: limit)
        }
    }

    func describe(
        _ pictures: [Int64], _ change: PictureChange, by editor: String
    ) async throws(SubmitFailure) -> [CataloguePicture] {
        try await writing { (store) throws(SubmitFailure) in
            try await store.describe(pictures, change, by: editor)
        }
    }

    func revisions(of picture: Int64) async throws(SubmitFailure) -> [PictureRevision] {
        try await reading { (store) throws(SubmitFailure) in try await store.revisions(of: picture) }
    }

    func complete(_ facts: [Int64: PictureFacts]) async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.complete(facts) }
    }

    func forget(_ pictures: [Int64]) async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.forget(pictures) }
    }

    func isForgotten(_ digest: [UInt8]) async throws(SubmitFailure) -> Bool {
        try await reading { (store) throws(SubmitFailure) in try await store.isForgotten(digest) }
    }

    func forgotten(before: Int64?, limit: Int) async throws(SubmitFailure) -> [ForgottenPicture] {
        try await reading { (store) throws(SubmitFailure) in try await store.forgotten(before: before, limit: limit) }
    }

    func recall(_ digests: [[UInt8]]) async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.recall(digests) }
    }

    func catchUp(includesWords: Bool) async throws(SubmitFailure) -> Bool {
        try await writing { (store) throws(SubmitFailure) in try await store.catchUp(includesWords: includesWords) }
    }

    func catalogueFlaws() async throws(SubmitFailure) -> [String] {
        try await reading { (store) throws(SubmitFailure) in try await store.catalogueFlaws() }
    }

    func rebuildCatalogue() async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.rebuildCatalogue() }
    }
}

extension HandedOnStore {
    func document(
        of claim: ClaimedSubmission, _ facts: PictureFacts
    ) async throws(SubmitFailure) -> CatalogueDocument? {
        try await writing { (store) throws(SubmitFailure) in try await store.document(of: claim, facts) }
    }

    func untold(at destination: String, limit: Int) async throws(SubmitFailure) -> [UntoldPicture] {
        try await writing { (store) throws(SubmitFailure) in try await store.untold(at: destination, limit: limit) }
    }

    func noteTold(
        _ pictures: [UntoldPicture], at destination: String, troubles: [Int64: SubmitFailure]
    ) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in
            try await store.noteTold(pictures, at: destination, troubles: troubles)
        }
    }

    func tellAgain(at destinations: [String]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.tellAgain(at: destinations) }
    }

    func untoldTallies() async throws(SubmitFailure) -> [UntoldTally] {
        try await reading { (store) throws(SubmitFailure) in try await store.untoldTallies() }
    }
}
