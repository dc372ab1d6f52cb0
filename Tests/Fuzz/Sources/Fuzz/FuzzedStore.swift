internal import SubmitCatalogue

/// A store with a few pictures, as different as they come, which asks the evaluator.
struct FuzzedStore: PictureStore {
    static let pictures: [CataloguePicture] = [
        picture(1, "IMG_1.jpg") { _ in },
        picture(2, "100%_a\\b.jpg") {
            ($0.title, $0.caption, $0.tags, $0.albums) = ("Straße", "The harbour", ["harbour", "night"], ["a", "a/b"])
            ($0.place, $0.placeName) = (CataloguePlace(latitude: 53.55, longitude: 9.99), "Hamburg")
            ($0.width, $0.height, $0.size) = (640, 480, 5)
            ($0.captured, $0.isPlaceShown) = (WallClockTime(seconds: 1_767_225_600, offset: 3600), true)
            $0.copies = [CatalogueCopy(destination: "nas", evidence: "verified", url: "https://nas.example/2")]
        },
        picture(3, "ETE.jpg") {
            ($0.title, $0.caption, $0.tags) = ("\u{E9}t\u{E9}", "line\nbreak \u{FB01}sh", ["Harbour", "\u{6E2F}"])
            $0.place = CataloguePlace(latitude: 90, longitude: -180)
            ($0.width, $0.size, $0.captured) = (1 << 53 + 1, .max, WallClockTime(seconds: -1))
        },
        picture(4, "\u{1F468}\u{200D}\u{1F469}.heic") {
            ($0.caption, $0.placeName) = ("nul\0in \"so\" it's", "\u{3A3}\u{3AF}\u{3C2}")
            $0.place = CataloguePlace(latitude: -90, longitude: 180)
            ($0.owner, $0.kind, $0.captured) = ("Me", "video", WallClockTime(seconds: 1_769_904_000))
        },
        picture(5, "") {
            ($0.title, $0.caption, $0.tags) = ("", String(repeating: "ab", count: 100), [""])
            $0.place = CataloguePlace(latitude: 0, longitude: 179.99)
            ($0.width, $0.captured) = (0, WallClockTime(seconds: 253_402_300_799))
        },
    ]

    private static func picture(
        _ id: Int64, _ name: String, _ change: (inout CataloguePicture) -> Void
    ) -> CataloguePicture {
        var picture = CataloguePicture(
            id: id, digest: [UInt8](repeating: UInt8(id), count: 32), name: name, kind: "photo", type: "image/jpeg",
            size: 1000, accepted: 1_767_225_600_123_456_789 + id, owner: "me")
        change(&picture)
        return picture
    }

    func page(_ query: CatalogueQuery) async throws(DatasourceFault) -> CataloguePage {
        do throws(CatalogueFault) {
            return try query.answer(Self.pictures)
        } catch {
            throw .question(error)
        }
    }

    func count(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(DatasourceFault) -> Int {
        Self.pictures.count { filter.matches($0) && search?.matches($0) ?? true }
    }

    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, limit: Int
    ) async throws(DatasourceFault) -> [RecordValue] { [] }
}
