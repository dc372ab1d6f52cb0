internal import Foundation

/// What `submit receive` asks of `submit-serve`, which is handed it as one argument. There is no secret in it.
package struct ReceiveOrder: Codable, Sendable, Hashable {
    package var destinations: [String]
    package var album: String?
    package var caption: String?
    /// One device, and then the end.
    package var isOnce = false
    /// How long devices may come in, in seconds; `nil`: until it is ended.
    package var seconds: Int?
    package var files: Int?
    package var bytes: Int64?
    /// `nil`: the one of the last time, or any that is free.
    package var port: Int?
    /// The address to listen at; `nil`: the one by which this machine reaches others.
    package var address: String?
    /// Listen at all addresses.
    package var listensEverywhere = false
    /// Files in PEM; both or none.
    package var certificate: String?
    package var key: String?
    package var allowsPlainHTTP = false
    package var confirms = false
    /// LocalSend's apps may send, too, by a PIN.
    package var takesLocalSend = false
    /// An absolute path.
    package var keep: String?
    package var isJSON = false
    package var isVerbose = false
    /// Of the program that asks, for servers that are told.
    package var version: String

    package init(destinations: [String], version: String) {
        self.destinations = destinations
        self.version = version
    }

    package init?(argument: String) {
        guard let order = try? JSONDecoder().decode(Self.self, from: Data(argument.utf8)) else { return nil }
        self = order
    }

    package var argument: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
