extension String {
    /// The order of all texts here: that of their bytes in UTF-8, as of their scalars.
    package func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

    /// Equal byte by byte. `==` would take what is only canonically equivalent.
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
