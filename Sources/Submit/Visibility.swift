/// Who sees what a destination gets.
public enum Visibility: String, Sendable, Hashable, Codable, CaseIterable {
    /// Whoever has its account, or whom they let in.
    case `private`
    /// Anybody: what is published there is told to strangers.
    case `public`
}
