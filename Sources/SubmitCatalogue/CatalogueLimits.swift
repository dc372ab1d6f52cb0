/// What one question may ask for, so that none takes the machine away from others.
public enum CatalogueLimits {
    /// How many `and`, `or` and `nor` may stand in one another.
    public static let depth = 16
    /// Conditions of a filter.
    public static let terms = 100
    /// Values of one `inq` or `nin`.
    public static let list = 1000
    /// Values of all conditions together: databases bind no more than some ten thousand.
    public static let values = 10_000
    /// Characters of a pattern.
    public static let pattern = 200
    /// Rows of a page.
    public static let page = 1000
    /// Rows of a page whose size nobody says.
    public static let usualPage = 100
    /// Fields that a page is ordered by.
    public static let order = 8
    /// Lists and objects of JSON that stand in one another: more than any filter has.
    public static let jsonDepth = 3 * depth + 8
    /// Values of JSON that others wrote: each takes more room than it has bytes there.
    public static let jsonValues = 500_000
    /// Bytes of the name of a field of another source.
    public static let fieldBytes = 200
    /// Bytes of what is read.
    public static let text = 1 << 20
    /// Bytes of a title, a caption or the name of a place.
    public static let words = 64 << 10
    /// Bytes of a tag, and of the name of an album or an owner.
    public static let name = 1000
    /// Tags, or albums, of a picture.
    public static let names = 1000
    /// Bytes of the words that are looked for.
    public static let searchBytes = 1000
    /// The words that are looked for.
    public static let searchWords = 16
    /// Bytes of a mark from which a page goes on.
    public static let mark = 1 << 16
}
