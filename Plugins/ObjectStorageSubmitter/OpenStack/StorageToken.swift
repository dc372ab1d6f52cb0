internal import SubmitHTTP

/// A token of an object store, and where that is. Nothing that prints it shows the token.
struct StorageToken: Sendable, Hashable {
    let token: String
    /// The account's URL, such as `https://store.example.org/v1/AUTH_1234`; containers follow below it.
    let storage: Endpoint
    /// Another one can be had when it is refused.
    let isRenewable: Bool
}

extension StorageToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "token for \(storage.url(""))" }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: ["storage": storage]) }
}
