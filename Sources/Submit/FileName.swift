/// A file's name in its two parts, and the names made from it.
public struct FileName: Sendable, Hashable {
    /// What stands before the last dot; the whole name where there is no extension, as in `.profile`.
    public let stem: String
    /// What stands after the last dot, without it; empty for none.
    public let fileExtension: String

    /// The longest name that Linux file systems take, in bytes of UTF-8.
    public static let maximumLength = 255

    /// Parts a file's name at its last dot. A dot at its beginning or its end parts nothing.
    public init(_ name: String) {
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
            name.utf8.index(after: dot) < name.endIndex
        {
            stem = String(name[..<dot])
            fileExtension = String(name[name.utf8.index(after: dot)...])
        } else {
            stem = name
            fileExtension = ""
        }
    }

    /// The name for the `n`th try when others hold it: `IMG_1.jpg` becomes `IMG_1-1.jpg`.
    ///
    /// - Parameter limit: bytes that it may have.
    public func numbered(_ n: Int, toBytes limit: Int = maximumLength) -> String {
        assembled(suffix: "-\(n)", limit)
    }

    /// The name with its stem cut to fit. An extension longer than 64 bytes is cut as part of the stem.
    ///
    /// - Parameter limit: bytes that it may have.
    public func fitted(toBytes limit: Int = maximumLength) -> String {
        assembled(suffix: "", limit)
    }

    private func assembled(suffix: String, _ limit: Int) -> String {
        var stem = stem
        var ending = suffix
        if fileExtension.utf8.count > 64 {
            stem += "." + fileExtension
        } else if !fileExtension.isEmpty {
            ending += "." + fileExtension
        }
        return stem.cut(toBytes: max(0, limit - ending.utf8.count)) + ending
    }
}

extension String {
    /// The longest beginning within `limit` bytes that ends between two characters; between two Unicode scalars where
    /// not even one character fits.
    func cut(toBytes limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        let scalarEnd = end
        while end > startIndex, end.samePosition(in: self) == nil { end = unicodeScalars.index(before: end) }
        return String(self[..<(end > startIndex ? end : scalarEnd)])
    }
}
