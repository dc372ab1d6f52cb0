import SubmitCatalogue

extension CataloguePicture {
    /// One of which little is known.
    static func plain(_ id: Int64, _ change: (inout CataloguePicture) -> Void = { _ in }) -> CataloguePicture {
        var number = UInt64(bitPattern: id)
        let digest = (0..<32).map { _ in
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: number >> 56)
        }
        var picture = CataloguePicture(
            id: id, digest: digest, name: "IMG_\(id).jpg", kind: "photo", type: "image/jpeg", size: 1000 + id,
            accepted: id * 1_000_000_000, owner: "me")
        change(&picture)
        return picture
    }
}

extension QuestionReader {
    /// Reads questions about pictures, with dates in UTC.
    static let utc = QuestionReader(.pictures, clock: .utc(now: 0))

    /// What a question means.
    func query(_ json: String) throws -> CatalogueQuery { try CatalogueQuery(question(json: json)) }
}
