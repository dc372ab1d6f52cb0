/// What decodes, resizes and encodes pixels: a program of its own, as photos of strangers have ended many that did so.
public protocol PixelRenderer: Sendable {
    /// Why it cannot work here, as the end of a sentence, with what to do; `nil`: it can, as far as is known. May block its thread.
    var unavailable: String? { get }

    /// Makes a new photo. Blocks its thread.
    ///
    /// - Parameters:
    ///   - job: what is to be made.
    ///   - input: the photo, open for reading; its position changes.
    ///   - output: an empty file, open for writing.
    ///   - isCancelled: asked several times a second; true ends it.
    /// - Returns: what was made, and by what, such as `libvips 8.14.1`: the same makes the same of the same.
    /// - Throws: why nothing was made: what is in `output` then is nothing.
    func render(
        _ job: PixelJob, from input: CInt, to output: CInt, isCancelled: () -> Bool
    ) throws(PixelFailure) -> (result: PixelResult, engine: String)
}

/// Why pixels were not made.
public enum PixelFailure: Error, Sendable, Hashable {
    /// It is the photo, or the disk; and why, in words of the library.
    case trouble(PixelTrouble, String)
    /// It ended while it was at this photo, and so did another that had seen no other photo.
    case died
    /// It took longer than any photo needs.
    case late
    /// The machine is short of something, and why: it says nothing of the photo, and may be over soon.
    case passing(String)
    /// It cannot be started, and why.
    case unavailable(String)
    case cancelled
}
