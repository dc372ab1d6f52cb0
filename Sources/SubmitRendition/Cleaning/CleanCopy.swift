public import Submit

/// A copy of a photo, its pixels bit for bit, with none of its metadata but an allow-list.
///
/// What is not known to belong to the picture is left out, wherever it stands: what is embedded, what is appended, and what this
/// code has never heard of.
public enum CleanCopy {
    /// Whether photos of this type can be copied so: JPEG, PNG, WebP and GIF.
    public static func isPossible(of type: MediaType) -> Bool { plan(of: type) != nil }

    /// Copies it. Blocks its thread.
    ///
    /// - Parameters:
    ///   - bytes: read twice, in pieces.
    ///   - type: what it is, by its content.
    ///   - name: what sentences call it.
    ///   - facts: what stays of its metadata besides orientation and colour: written anew, from values that are what they
    ///     should be.
    ///   - write: gets the bytes of the copy in order, in pieces of at most a megabyte.
    /// - Throws: `photo-damaged`, to give up with, where it is not whole, so that nobody can tell what is picture and what is
    ///   not: save it anew with another program; what reading and `write` throw.
    public static func make(
        of bytes: any MediaBytes, type: MediaType, name: String, keeping facts: Set<KeptFact>,
        write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void
    ) throws(SubmitFailure) {
        guard let plan = plan(of: type) else { throw DamagedPhoto("it is \(type.mime)").failure(name) }
        let pieces: CopiedPieces
        do throws(ReadingProblem) {
            pieces = try plan(bytes, facts)
        } catch {
            switch error {
            case .damaged(let photo): throw photo.failure(name)
            case .failed(let failure): throw failure
            }
        }
        try pieces.write(from: bytes, to: write)
    }

    private typealias Plan = (any MediaBytes, Set<KeptFact>) throws(ReadingProblem) -> CopiedPieces

    private static func plan(of type: MediaType) -> Plan? {
        switch type.mime {
        case "image/jpeg": CleanJPEG.pieces
        case "image/png": CleanPNG.pieces
        case "image/webp": CleanWebP.pieces
        case "image/gif": CleanGIF.pieces
        default: nil
        }
    }
}

/// Why a photo cannot be told apart into what is picture and what is not.
struct DamagedPhoto: Sendable {
    let why: String

    init(_ why: String) { self.why = why }

    func failure(_ name: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "photo-damaged",
            message:
                "“\(name)” was not sent: its metadata cannot be taken out, as the file is damaged (\(why)); save it anew "
                + "with another program, or ask for the original if anybody may see all of it.")
    }
}

/// What ends the look at a photo.
enum ReadingProblem: Error {
    case damaged(DamagedPhoto)
    case failed(SubmitFailure)

    static func damaged(_ why: String) -> ReadingProblem { .damaged(DamagedPhoto(why)) }
}
