/// What a service does that not every one does; where each comes from stands in Manners.md beside this file.
enum ServiceManner: String, Sendable, Hashable, CaseIterable {
    // MARK: Answers

    /// JSON begins with a byte order mark.
    case byteOrderMark
    /// Ids are numbers that a double cannot hold.
    case numericIDs
    /// JSON is called text.
    case saysText
    /// A cache writes a comment of HTML after what it answers to GET now and then.
    case commentsAfter
    /// Its troubles are told by 200, with an error inside.
    case errorsInside
    /// What refuses a request says the key that it was shown.
    case saysSecrets
    /// A 404 is a web page.
    case pagesNotFound

    // MARK: Processing

    /// It takes an item with 202 and is ready later.
    case processes
    /// The same, and every other item fails then.
    case failsLater
    /// The same, and every other item is never ready.
    case neverReady
    /// It says yes and drops what it was given.
    case dropsSilently
    /// What people see is another file than what was sent.
    case reencodes

    // MARK: Repeating

    /// It forgets keys after ten minutes.
    case forgetsKeys
    /// A key that was used is refused, without the item's id.
    case refusesUsedKeys
    /// A key counts as used although the request failed.
    case burnsKeys
    /// Its lists show an item twenty seconds after it was taken.
    case showsLate
    /// Bytes that it has are refused, with the id.
    case namesDuplicates
    /// Bytes that it has are refused, without an id.
    case hidesDuplicates
    /// What comes after storing may fail, and is told as a refusal.
    case refusesAfterStoring

    // MARK: Sessions

    /// A session ends in the midst, once.
    case losesSessions
    /// A session is not known at the first request to it.
    case sessionsShowLate
    /// What came of a piece that broke off stays.
    case keepsHalfPieces

    // MARK: Limits

    /// It is full for an hour after the first item, and says so by 400.
    case fullBy400
    /// The same by 403.
    case fullBy403
    /// Every ninth request is one too many, for as many seconds as `Retry-After` says.
    case throttles
    /// The same until a time in another header.
    case throttlesUntil
    /// The same for seconds that the body says.
    case throttlesInBody
    /// The same told as 403, without a time.
    case throttlesBy403
}
