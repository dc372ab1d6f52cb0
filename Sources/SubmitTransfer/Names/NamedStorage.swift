public import Submit

/// A place that stores items under names: a folder, a bucket, a collection.
///
/// It looks at one name and stores under one name. ``NameAllocator`` decides which name an item gets, and what happens when
/// other bytes have it.
public protocol NamedStorage: Sendable {
    /// What was seen under a name, for example an ETag. It goes back to ``store(at:over:)`` as the condition.
    associatedtype Seen: Sendable

    /// The destination as sentences call it, such as `the bucket “photos”`.
    var place: String { get }

    /// Whether ``store(at:over:)`` surely refuses to replace what came to a free name after the look. The default is true.
    var sparesOthers: Bool { get }

    /// Tells an address apart from those of all other destinations. Two destinations may be the same folder.
    func identity(of address: String) -> String

    /// The address that an item gets when other bytes have its own name: the `Receipt.remoteID` of the copy.
    ///
    /// - Parameter number: 0 for the item's own name, `n` for the `n`th name after it, such as `IMG_1-1.jpg`.
    /// - Throws: if the destination can't store under that name.
    func address(_ number: Int) throws(SubmitFailure) -> String

    /// Where people see what is under an address; `nil` if they don't.
    ///
    /// - Throws: if the destination has to be asked and can't be reached.
    func url(of address: String) async throws(SubmitFailure) -> String?

    /// Returns what is under an address.
    ///
    /// - Parameter round: 0 for the first look; more if something came there between the last look and the upload.
    /// - Throws: if the destination can't tell. That is never the same as ``NameSighting/free``.
    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<Seen>

    /// Whether a file seen under the item's own name is really called that, and may be replaced if the policy says so.
    ///
    /// Where names fold, another photo's name may lead to the file. The default is true.
    ///
    /// - Throws: if the destination can't tell.
    func isMeant(_ seen: Seen, at address: String) async throws(SubmitFailure) -> Bool

    /// Stores the item under an address, whole or not at all.
    ///
    /// - Parameter sighting: what was there a moment ago: nothing, or ``NameSighting/other(_:_:)`` that may be replaced. Nothing
    ///   else may be.
    /// - Returns: the receipt; `nil` if other bytes came there first.
    /// - Throws: the failure with its remedy. What arrived nevertheless is found by the next attempt's look.
    func store(at address: String, over sighting: NameSighting<Seen>) async throws(SubmitFailure) -> Receipt?

    /// Keeps an address in the checkpoint, because the item is about to be stored under it.
    ///
    /// It is called if the name before was passed over only because another item was on its way there. That one may fail, so
    /// the next attempt could find its name free and store the item twice. The default keeps nothing.
    ///
    /// - Throws: the journal's failure.
    func note(_ address: String) async throws(SubmitFailure)

    /// The addresses that earlier attempts kept by ``note(_:)``, or otherwise in the checkpoint. The default is none.
    var notedAddresses: [String] { get }

    /// Removes what this attempt and earlier ones sent, because it isn't needed.
    ///
    /// - Returns: a sentence about what stays; `nil` if nothing does.
    /// - Throws: if the destination fails meanwhile. The next attempt removes it.
    func abandon() async throws(SubmitFailure) -> String?
}

extension NamedStorage {
    public var sparesOthers: Bool { true }

    /// People see nothing there.
    ///
    /// - Throws: never.
    public func url(of address: String) async throws(SubmitFailure) -> String? { nil }

    /// Names are what they seem.
    ///
    /// - Throws: never.
    public func isMeant(_ seen: Seen, at address: String) async throws(SubmitFailure) -> Bool { true }

    /// Keeps nothing.
    ///
    /// - Throws: never.
    public func note(_ address: String) async throws(SubmitFailure) {}

    public var notedAddresses: [String] { [] }

    /// Nothing of what was sent stays.
    ///
    /// - Throws: never.
    public func abandon() async throws(SubmitFailure) -> String? { nil }
}

/// What a destination says about one name.
public enum NameSighting<Seen: Sendable>: Sendable {
    /// Nothing has the name.
    case free
    /// Nobody looked: the destination itself refuses to replace what is there.
    case notLooked
    /// The item is there.
    case same(Receipt)
    /// Other bytes have the name.
    case other(Seen, OtherContent)
    /// Another item may yet come to the name, because an earlier upload was never answered.
    case coming(OtherContent)
}

/// What is known about the bytes that have an item's name.
///
/// The more is known, the fewer names are looked at for the next item.
public struct OtherContent: Sendable, Hashable {
    /// Their length in bytes; `nil` if unknown.
    public var size: Int64?
    /// Their SHA-256; `nil` if unknown.
    public var sha256: [UInt8]?
    /// They were stored as the item and are other bytes now.
    public var isDamagedCopy: Bool

    /// - Parameters:
    ///   - size: their length in bytes.
    ///   - sha256: their SHA-256.
    ///   - isDamagedCopy: they were stored as the item and are other bytes now.
    public init(size: Int64? = nil, sha256: [UInt8]? = nil, isDamagedCopy: Bool = false) {
        self.size = size
        self.sha256 = sha256
        self.isDamagedCopy = isDamagedCopy
    }

    /// Whether they may be the item's bytes.
    func mayBe(_ item: MediaItem) -> Bool {
        if let sha256, let ours = item.digests[.sha256] { return sha256 == ours }
        return size == nil || size == item.size
    }
}
