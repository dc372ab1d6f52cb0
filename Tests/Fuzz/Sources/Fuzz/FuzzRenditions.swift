internal import Submit

@testable internal import SubmitRendition

/// Takes the place out of a photo or a film, and looks whether it is out.
func fuzzRenditions(_ bytes: [UInt8]) {
    for mime in [
        "image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "video/mp4",
    ] {
        let type = MediaType(kind: .photo, mime: mime, filenameExtension: "")
        _ = traces(bytes, type)
        guard let copy = cleaned(bytes, type) else { continue }
        // Of its own it adds a directory of values that stood in the photo, and heads of chunks; HEIF's head is written anew.
        precondition(copy.count <= bytes.count * (mime == "image/heic" ? 4 : 1) + 1024)
        // What is left is picture: nothing more goes.
        precondition(Optional(copy) == cleaned(copy, type))
        _ = traces(copy, type)
    }
}

private func cleaned(_ bytes: [UInt8], _ type: MediaType) -> [UInt8]? {
    var copy: [UInt8] = []
    do throws(SubmitFailure) {
        try CleanCopy.make(
            of: MemoryBytes(bytes), type: type, name: "a", keeping: KeptFact.publishable,
            write: { (piece) throws(SubmitFailure) in copy += piece })
        return copy
    } catch {
        precondition(error.code == "photo-damaged")
        return nil
    }
}

private func traces(_ bytes: [UInt8], _ type: MediaType) -> [Trace] {
    do throws(SubmitFailure) {
        return try MetadataScan.traces(in: MemoryBytes(bytes), type: type, allowing: KeptFact.publishable)
    } catch {
        preconditionFailure("\(error)")
    }
}
