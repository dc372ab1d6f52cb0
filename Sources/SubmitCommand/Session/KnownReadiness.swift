internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// What is known of whether a destination can be used: what the configuration says, and what came of trying it.
struct KnownReadiness {
    enum State: String {
        case ready
        /// Configured, and never tried as it is now.
        case notTried = "not-tried"
        case onHold = "on-hold"
        case notSetUp = "not-set-up"
        /// It could be a destination, and nobody made it one.
        case notConfigured = "not-configured"
    }

    let name: String
    let typeName: String
    var state: State
    /// Why it cannot be used, or where it leads to.
    var message: String
    var isConfigured: Bool
    var isDefault: Bool
    /// Who sees what it gets, and what that is; `nil` where it cannot be made.
    var sending: (visibility: Visibility, rendition: RenditionPolicy)?

    /// Notes that a check or a login found it usable, as it is configured now.
    static func note(_ name: String, isReady: Bool, _ catalog: DestinationCatalog) async {
        // Nothing is noted of what is not there: a check that failed leaves no journal behind.
        guard isReady || FileManager.default.fileExists(atPath: catalog.places.journal.string),
            let journal = try? Journal(path: catalog.places.journal), let mark = mark(name, catalog)
        else { return }
        try? await journal.setNote(topic, of: name, to: isReady ? Array(mark.utf8) : nil)
    }

    private static let topic = "checked"

    /// Type and settings, no secrets: another configuration is to be tried anew.
    private static func mark(_ name: String, _ catalog: DestinationCatalog) -> String? {
        guard let type = try? catalog.type(of: name), let settings = try? catalog.settings(name, type) else {
            return nil
        }
        return "\(type.name) \(settings.summary(type.settings))"
    }

    /// Of all destinations there are and could be, those first that are configured or used without being named.
    static func all(_ catalog: DestinationCatalog) async -> [KnownReadiness] {
        let journal =
            FileManager.default.fileExists(atPath: catalog.places.journal.string)
            ? try? Journal(path: catalog.places.journal) : nil
        var all: [KnownReadiness] = []
        for name in catalog.names { all.append(await of(name, catalog, journal)) }
        return all.filter { $0.state != .notConfigured } + all.filter { $0.state == .notConfigured }
    }

    private static func of(
        _ name: String, _ catalog: DestinationCatalog, _ journal: Journal?
    ) async -> KnownReadiness {
        let defaults = catalog.file.defaults.map(\.text)
        let isConfigured = catalog.isConfigured(name)
        let isDefault = defaults.contains(name) || (defaults.isEmpty && name == "file")
        let typeName = (try? catalog.type(of: name))?.name ?? catalog.file.destinations[name]?.type.text ?? name
        var known = KnownReadiness(
            name: name, typeName: typeName, state: .notTried, message: "", isConfigured: isConfigured,
            isDefault: isDefault)
        do throws(SubmitFailure) {
            let destination = try catalog.destination(name)
            let type = destination.type
            known.sending = (destination.visibility, destination.rendition())
            let summary = try catalog.settings(name, type).summary(type.settings)
            known.message = String(summary.dropFirst(name.count + 1).dropLast())
        } catch {
            known.state = isConfigured || isDefault ? .notSetUp : .notConfigured
            known.message = error.advised(at: name)
            return known
        }
        if let journal { await known.find(in: journal, catalog) }
        // What nobody set up and nobody used is only a possibility.
        let isBare = known.message.isEmpty || typeName == "file"
        if known.state == .notTried, !isConfigured, !isDefault, isBare { known.state = .notConfigured }
        return known
    }

    private mutating func find(in journal: Journal, _ catalog: DestinationCatalog) async {
        if let state = try? await journal.state(of: name), let why = state.advised {
            (self.state, message) = (.onHold, why)
        } else if let note = try? journal.note(Self.topic, of: name), let mark = Self.mark(name, catalog) {
            // Copies that it got when it was configured otherwise say nothing.
            if String(decoding: note, as: UTF8.self) == mark { state = .ready }
        } else if (try? journal.holdsCopies(name)) == true {
            state = .ready
        }
    }

    var line: String {
        var head = "\(name)\(isDefault ? "*" : "") [\(typeName)]"
        if let (visibility, rendition) = sending, visibility == .public || !rendition.isOriginal {
            head += " \(visibility.rawValue), \(rendition.words),"
        }
        switch state {
        case .ready: return "\(head) ready: \(message)"
        case .notTried: return "\(head) not tried yet (`submit destinations check \(name)`): \(message)"
        case .onHold: return "\(head) on hold: \(message)"
        case .notSetUp, .notConfigured: return "\(head) not set up: \(message)"
        }
    }

    var object: [String: Any] {
        var object: [String: Any] = [
            "destination": name, "type": typeName, "configured": isConfigured, "default": isDefault,
            "ready": state == .ready, "state": state.rawValue,
        ]
        object["visibility"] = sending?.visibility.rawValue
        object["rendition"] = sending?.rendition.description
        if state != .ready, state != .notTried { object["message"] = message }
        return object
    }
}

extension [KnownReadiness] {
    /// The lines of those that are configured, and one of those that could be.
    var lines: [String] {
        let others = filter { $0.state == .notConfigured }.map(\.name)
        let rest = others.isEmpty ? [] : ["could be added: \(others.joined(separator: ", ")) (`submit types NAME`)"]
        return filter { $0.state != .notConfigured }.map(\.line) + rest
    }
}
