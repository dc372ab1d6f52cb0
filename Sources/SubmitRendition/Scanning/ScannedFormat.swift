internal import Submit

/// A format whose files can be taken apart from the first byte to the last.
protocol ScannedFormat {
    /// What was found so far.
    var found: FoundTraces { get }

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata)

    /// Goes through all of the file, once.
    mutating func walk() throws(SubmitFailure)
}

extension ScannedFormat {
    static func traces(
        in source: ScannedBytes, allowing allowed: AllowedMetadata
    ) throws(SubmitFailure) -> FoundTraces {
        var scan = Self(source, allowing: allowed)
        try scan.walk()
        return scan.found
    }
}
