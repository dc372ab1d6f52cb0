public import Submit
internal import SubmitConcurrency

/// The kinds of submitters there are, found by any of the names people give them.
///
/// Types can be added and removed at any time. Destinations that were made of a type stay.
public final class SubmitterRegistry: Sendable {
    private let registered = Locked<[SubmitterType]>([])

    /// - Throws: `type-taken`, to give up with, where a name means two of the types.
    public init(_ types: [SubmitterType] = []) throws(SubmitFailure) {
        for type in types { try register(type) }
    }

    /// All types, sorted by name.
    public var types: [SubmitterType] {
        registered.withLock { $0 }.sorted { $0.name < $1.name }
    }

    /// Adds a type.
    ///
    /// - Throws: `type-taken`, to give up with, when one of its names already means another type.
    public func register(_ type: SubmitterType) throws(SubmitFailure) {
        try registered.withLock { (registered) throws(SubmitFailure) in
            for name in [type.name] + type.aliases {
                if let other = registered.first(where: { $0.answers(to: name) }) {
                    throw SubmitFailure(
                        .giveUp, code: "type-taken",
                        message:
                            "The type “\(type.name)” cannot be registered: “\(name)” already means “\(other.name)”."
                    )
                }
            }
            registered.append(type)
        }
    }

    /// Removes the type of this name, and no other.
    ///
    /// - Throws: `unknown-type`, to give up with, when there is none, with the nearest names.
    public func unregister(_ name: String) throws(SubmitFailure) {
        let type = try type(named: name)
        registered.withLock { $0.removeAll { $0.name == type.name } }
    }

    /// Removes all types.
    public func unregisterAll() {
        registered.withLock { $0.removeAll() }
    }

    /// The type of this name: its own or an alias, in any case, with or without `Submitter` or `PhotoSubmitter` behind.
    ///
    /// - Throws: `unknown-type`, to give up with, when there is none, with the nearest names.
    public func type(named name: String) throws(SubmitFailure) -> SubmitterType {
        let registered = registered.withLock { $0 }
        if let type = registered.first(where: { $0.answers(to: name) }) { return type }
        let names = registered.flatMap { [$0.name] + $0.aliases }
        throw SubmitFailure(
            .giveUp, code: "unknown-type",
            message: "There is no type “\(name)”\(NearestNames.hint(for: name, among: names)).")
    }
}

extension SubmitterType {
    fileprivate func answers(to other: String) -> Bool {
        let other = Self.essence(of: other)
        return ([name] + aliases).contains { Self.essence(of: $0) == other }
    }

    /// What is left of a name when writing habits are taken off: `WebDAVPhotoSubmitter`, `web-dav` and `webdav` agree.
    private static func essence(of name: String) -> String {
        var essence = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
        for suffix in ["submitter", "photo"] where essence.hasSuffix(suffix) && essence.count > suffix.count {
            essence.removeLast(suffix.count)
        }
        return essence
    }
}
