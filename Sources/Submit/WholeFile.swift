public import SystemPackage

/// Reads all that an open file has, also where nobody knows how much that is: a pipe, a file of `/proc`.
public enum WholeFile {
    /// From where it stands to its end.
    ///
    /// - Parameter most: bytes that it may have.
    /// - Returns: `nil` where it has more.
    /// - Throws: what the system says, such as that it is a folder.
    public static func bytes(of file: FileDescriptor, most: Int = .max) throws(Errno) -> [UInt8]? {
        var bytes: [UInt8] = []
        var trouble: Errno?
        while bytes.count <= most {
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                do {
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                } catch {
                    trouble = error as? Errno ?? .ioError
                }
            }
            if let trouble { throw trouble }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        return nil
    }
}
