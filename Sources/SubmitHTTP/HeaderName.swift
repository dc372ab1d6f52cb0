extension String {
    /// Whether this is a certain name in ASCII, whatever its case, as names of headers and schemes are compared (RFC 9110,
    /// section 5.1). It makes no copy of either.
    package func isName(_ name: String) -> Bool {
        guard utf8.count == name.utf8.count else { return false }
        var others = name.utf8.makeIterator()
        for byte in utf8 {
            guard let other = others.next() else { return false }
            guard byte == other || byte ^ other == 0x20 && (0x61...0x7a).contains(byte | 0x20) else { return false }
        }
        return true
    }
}
