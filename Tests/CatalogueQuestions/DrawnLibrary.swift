import Foundation
import Submit
import SubmitCatalogue
import SubmitStore
import SystemPackage
import TestServers

/// The pictures of many people, drawn: a few people, tags, albums and words come most often, and many seldom.
struct DrawnLibrary {
    /// Those that come most often first.
    let owners: [String]
    /// The same; the first one is of every picture.
    let tags: [String]
    let albums: [String]
    let words: [String]
    let destinations = ["nas", "cloud", "blog"]
    /// One picture in a hundred is of this place.
    let city = (latitude: 53.55, longitude: 9.99)

    private let ownerShares = Shares(500)
    private let tagShares = Shares(4999)
    private let albumShares = Shares(2000, steepness: 0.5)
    private let wordShares = Shares(20_000, before: 10)
    private var numbers: SeededNumbers
    private var count = 0

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        words = Self.words(20_000, &numbers)
        let (names, more) = (Self.words(10_000, &numbers), Self.words(5000, &numbers))
        owners = (0..<500).map { "\(names[2 * $0].capitalized) \(names[2 * $0 + 1].capitalized)" }
        albums = (0..<2000).map { "\(names[1000 + $0].capitalized) \(2006 + $0 % 20)" }
        tags = more
    }

    /// Words of syllables, the short ones first. In captions of them three letters in a row come as often as in English.
    private static func words(_ count: Int, _ numbers: inout SeededNumbers) -> [String] {
        func letters(_ text: String) -> [Substring] { text.split(separator: " ") }
        let begins = letters(
            """
            b d f g h j k l m n p r s t v w z c qu bl br ch cl cr dr fl fr gl gr kn pl pr sc sh sl sm sp st str sw th tr tw wh
            """)
        let middles = letters("a e i o u a e i o u ea ai ou oo ee ie y au oi")
        let ends = ["", "", ""] + letters("n r s t l d m p ck ng nd nt st rd x ll ss mp ct")
        var words: Set<String> = []
        while words.count < count {
            let word = (0..<[1, 2, 2, 3].randomElement(using: &numbers)!).map { _ in
                [begins, middles, ends].map { $0.randomElement(using: &numbers)! }.joined()
            }
            .joined()
            if word.utf8.count >= 3 { words.insert(word) }
        }
        // A set has another order in each process.
        return words.sorted().shuffled(using: &numbers).sorted { $0.utf8.count / 3 < $1.utf8.count / 3 }
    }

    /// What somebody sends at once: of one day, mostly of one place and in one album.
    struct Burst {
        let owner: String
        let album: String?
        let pictures: [DrawnPicture]
    }

    struct DrawnPicture {
        let item: MediaItem
        let facts: PictureFacts
        let destinations: [String]
    }

    mutating func burst(atMost most: Int) -> Burst {
        let owner = owners[ownerShares.draw(&numbers)]
        let place = chance(0.7) ? drawnPlace() : nil
        let day = (2006 + below(20), 1 + below(12), 1 + below(28), 6 + below(14))
        let tags = [tags[0]] + (0..<below(4)).map { _ in drawnTag() }
        let pictures = (0..<min(most, 1 + below(200))).map { index in
            let captured = CaptureTime(
                year: day.0, month: day.1, day: day.2, hour: day.3, minute: index / 7 % 60, second: index * 8 % 60)
            return picture(of: owner, tags + (0..<below(2)).map { _ in drawnTag() }, place, captured)
        }
        let album = chance(0.7) ? albums[albumShares.draw(&numbers)] : nil
        return Burst(owner: owner, album: album, pictures: pictures)
    }

    private mutating func picture(
        of owner: String, _ tags: [String], _ place: CataloguePlace?, _ captured: CaptureTime?
    ) -> DrawnPicture {
        count += 1
        let type = drawnType()
        let name = "IMG_\(count).\(type.filenameExtension)"
        let folder = String(owner.map { $0 == " " ? "_" : $0 })
        let digest = (0..<4).flatMap { _ in withUnsafeBytes(of: numbers.next()) { Array($0) } }
        let captured = chance(0.97) ? captured : nil
        let facts = PictureFacts(
            width: 4032, height: 3024, place: place.flatMap { beside($0, degrees: 0.02) }, captured: captured)
        let item = MediaItem(
            source: FilePath("/photos/\(folder)/\(name)"), name: name, size: Int64(1_000_000 + below(9_000_000)),
            type: type,
            modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789), captured: captured,
            caption: chance(0.8) ? drawnCaption() : nil, tags: tags, digests: Digests([.sha256: digest]))
        return DrawnPicture(item: item, facts: facts, destinations: Array(destinations.prefix(drawnCopies())))
    }

    private mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &numbers) < part }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

    private mutating func drawnTag() -> String { tags[1 + tagShares.draw(&numbers)] }

    private mutating func drawnCopies() -> Int { chance(0.4) ? 1 : chance(0.6) ? 2 : 3 }

    private mutating func drawnCaption() -> String {
        (0..<(3 + below(10))).map { _ in words[wordShares.draw(&numbers)] }.joined(separator: " ")
    }

    private mutating func drawnType() -> MediaType {
        switch below(100) {
        case 0..<80: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg")
        case 80..<88: MediaType(kind: .photo, mime: "image/heic", filenameExtension: "heic")
        case 88..<90: MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
        default: MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4")
        }
    }

    private mutating func drawnPlace() -> CataloguePlace? {
        // Of those that have a place.
        if chance(0.01 / 0.7) {
            return CataloguePlace(latitude: city.latitude, longitude: city.longitude).flatMap {
                beside($0, degrees: 0.05)
            }
        }
        return Self.placeOnEarth(&numbers)
    }

    private mutating func beside(_ place: CataloguePlace, degrees: Double) -> CataloguePlace? {
        CataloguePlace(
            latitude: place.latitude + .random(in: -degrees...degrees, using: &numbers),
            longitude: place.longitude + .random(in: -degrees...degrees, using: &numbers))
    }

    /// Not at the poles.
    static func placeOnEarth(_ numbers: inout SeededNumbers) -> CataloguePlace? {
        CataloguePlace(
            latitude: .random(in: -60...70, using: &numbers), longitude: .random(in: -179...179, using: &numbers))
    }
}

/// Numbers from 0, of which those come most that come first: the share of the n-th is 1 / n to the power of the steepness.
struct Shares {
    private let sums: [Double]

    /// - Parameter before: how many stand before the first, and never come.
    init(_ count: Int, steepness: Double = 1, before: Int = 0) {
        var sum = 0.0
        sums = (1...count).map { number in
            sum += pow(Double(before + number), -steepness)
            return sum
        }
    }

    func draw(_ numbers: inout SeededNumbers) -> Int {
        let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &numbers)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
