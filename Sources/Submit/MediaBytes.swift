/// The bytes of a media item, to be read at any place and as often as needed.
///
/// A retry, a resume and parallel parts need no rewinding. Implementations guard the source: whoever reads gets
/// exactly the bytes that were accepted, or a failure.
///
/// Reading and looking hold the calling thread for as long as the source takes, which on a share that is gone may be for
/// ever. Attempts run on threads where that harms nobody else; a body that is sent over HTTP is read apart from the thread
/// that sends.
public protocol MediaBytes: Sendable {
    /// Bytes, as accepted.
    var size: Int64 { get }

    /// Reads into `buffer` what stands from `offset` on.
    ///
    /// Promises to fill the buffer, or to stop at the end of the item: fewer bytes than asked for mean the end.
    /// The call that hands out the last byte has looked at the source again *after* reading it, so that a
    /// destination which needs `size` bytes never gets the end of a file that is no longer the accepted one.
    ///
    /// - Returns: how many bytes were read; 0 at or past the end.
    /// - Throws: a failure that says the source changed, shrank, grew or cannot be read. Pass it on as it is.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int

    /// Looks at the source and throws if it is no longer the one that was accepted.
    ///
    /// Call it before a step that makes a copy visible under its final name.
    ///
    /// - Throws: a failure that says the source changed, is gone or cannot be read. Pass it on as it is.
    func verifyUnchanged() throws(SubmitFailure)

    /// A descriptor open for reading on the whole source, for copying inside the kernel; `nil` if there is none.
    ///
    /// It stays open as long as this value lives. Bytes read through it are not guarded: prove the copy, and call
    /// ``verifyUnchanged()``.
    var fileDescriptor: CInt? { get }
}
