/// What a photo may tell.
struct AllowedMetadata {
    let facts: Set<KeptFact>
    /// What somebody asked to have written into it.
    var words = PhotoWords.none

    func contains(_ fact: KeptFact) -> Bool { facts.contains(fact) }
}
