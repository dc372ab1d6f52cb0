/// What takes a picture out of a film: a program of its own, as films of strangers have ended many that did so.
public protocol PosterMaker: Sendable {
    /// Why it cannot work here, as the end of a sentence, with what to do; `nil`: it can.
    var unavailable: String? { get }

    /// Films that it can read, by their media types.
    var mimes: Set<String> { get }

    /// Takes a picture out of the first second of a film, upright, as PNG. Blocks its thread.
    ///
    /// - Parameters:
    ///   - mime: what the film is, by its content: one of ``mimes``.
    ///   - input: the film, open for reading.
    ///   - output: an empty file, open for writing.
    ///   - isCancelled: asked several times a second; true ends it.
    /// - Returns: what made it, with its version.
    /// - Throws: why there is no picture: what is in `output` then is nothing.
    func poster(
        of mime: String, from input: CInt, to output: CInt, isCancelled: () -> Bool
    ) throws(PixelFailure) -> String
}
