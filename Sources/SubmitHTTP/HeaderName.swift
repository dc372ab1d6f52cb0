extension StringProtocol {
    /// Whether this is a certain name in ASCII, whatever its case, as names of headers and schemes are compared (RFC 9110,
    /// section 5.1). It makes no copy.
    package func isName(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { isEqual(to: $0) }
    }

    /// The same of a name that is known later.
    package func isName(_ name: some StringProtocol) -> Bool { isEqual(to: name.utf8) }

    private func isEqual(to name: some Collection<UInt8>) -> Bool {
        let bytes = utf8
        guard bytes.count == name.count else { return false }
        return zip(bytes, name).allSatisfy { one, other in
            one == other || one ^ other == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(one | 0x20)
        }
    }
}
