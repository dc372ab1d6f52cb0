/// What a place, or its submitter, needs so that a case can be tried there at all.
///
/// A harness that has something not names it: see ``ContractCase/run(_:leavingOut:ids:)``.
public enum ContractRequirement: Sendable, Hashable {
    /// The submitter has albums.
    case albums
    /// It can be asked what is there.
    case presence
    /// It removes copies.
    case removal
    /// It goes on in the middle of an item.
    case resuming
    /// It reads copies back.
    case readback
    /// It has secrets that could show.
    case secrets
    /// It keeps the bytes of items: `Capabilities.keepsBytes` of `Submit`.
    case bytes
    /// It compares what arrives with the item's digest.
    case digests
    /// It takes photos of more than 1 MiB.
    case largeItems
    /// It takes PNGs.
    case png
    /// It takes MP4s.
    case mp4
    /// Someone else can put a copy where an item of a name would go.
    case otherWriter
    /// It can be told what is there under final names.
    case contents
    /// It can be told what is there besides.
    case leftovers
    /// Faults can be made at one request and not at the next.
    case singleRequests
    /// Any fault can be made.
    case anyFault
    /// This fault can be made.
    case fault(ContractFault)
}

extension ContractRequirement: CustomStringConvertible {
    /// As it is written in a harness, such as `.fault(.full)`.
    public var description: String {
        switch self {
        case .albums: ".albums"
        case .presence: ".presence"
        case .removal: ".removal"
        case .resuming: ".resuming"
        case .readback: ".readback"
        case .secrets: ".secrets"
        case .bytes: ".bytes"
        case .digests: ".digests"
        case .largeItems: ".largeItems"
        case .png: ".png"
        case .mp4: ".mp4"
        case .otherWriter: ".otherWriter"
        case .contents: ".contents"
        case .leftovers: ".leftovers"
        case .singleRequests: ".singleRequests"
        case .anyFault: ".anyFault"
        case .fault(let fault): ".fault(.\(fault))"
        }
    }
}
