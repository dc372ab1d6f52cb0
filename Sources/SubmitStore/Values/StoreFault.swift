/// Whose fault it was that nothing of a submission came through, as far as is known.
public enum StoreFault: Int, Sendable, Hashable {
    /// Something came through, or other things stood in the way.
    case none = 0
    /// It may be the way there, or the whole destination.
    case unclear = 1
    /// Others got through meanwhile.
    case own = 2
}
