internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest

/// What git-annex would keep for a remote: its configuration, and what it noted of keys. It lies in the destination's
/// notes; credentials never do.
final class AnnexMemory: Sendable {
    private struct Content: Codable {
        var configuration: [String: String] = [:]
        /// What was set up, as it was configured then.
        var setUp: String?
    }

    private struct KeyNote: Codable, Equatable {
        var state: String?
        var urls: [String] = []
    }

    private struct State {
        var content = Content()
        var isLoaded = false
        var isChanged = false
        var credentials: [String: (user: String, password: String)] = [:]
        var wanted = ""
        var key: String?
        var note = KeyNote()
        var isNoteChanged = false
    }

    private static let topic = "git-annex"
    private static let longest = 32 << 10

    private let notes: any DestinationNotes
    private let state = Locked(State())

    init(_ notes: any DestinationNotes) { self.notes = notes }

    // MARK: - Reading and writing

    /// Reads what there is, and what there is of a key.
    func load(_ key: String?) async {
        if !state.withLock({ $0.isLoaded }) {
            let content = await read(Content.self, Self.topic) ?? Content()
            state.withLock { state in
                state.content = content
                state.isLoaded = true
            }
        }
        let note: KeyNote? = if let key { await read(KeyNote.self, "\(Self.topic)-\(key)") } else { nil }
        state.withLock { state in
            state.key = key
            state.note = note ?? KeyNote()
            state.isNoteChanged = false
        }
    }

    /// Writes what changed.
    func save() async {
        let (content, key, note) = state.withLock { state -> (Content?, String?, KeyNote) in
            defer { (state.isChanged, state.isNoteChanged) = (false, false) }
            return (state.isChanged ? state.content : nil, state.isNoteChanged ? state.key : nil, state.note)
        }
        if let content { await write(content, Self.topic) }
        if let key { await write(note == KeyNote() ? nil : note, "\(Self.topic)-\(key)") }
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ topic: String) async -> Value? {
        guard let data = await notes.read(topic) else { return nil }
        return try? JSONDecoder().decode(type, from: Data(data))
    }

    private func write(_ value: (some Encodable)?, _ topic: String) async {
        let data = value.flatMap { try? JSONEncoder().encode($0) }.map { Array($0) }
        await notes.write(topic, data.flatMap { $0.count <= Self.longest ? $0 : nil })
    }

    // MARK: - Values

    func configuration(_ name: String) -> String? { state.withLock { $0.content.configuration[name] } }

    func configure(_ name: String, _ value: String) {
        state.withLock { state in
            state.content.configuration[name] = value
            state.isChanged = true
        }
    }

    func isSetUp(_ how: String) -> Bool { state.withLock { $0.content.setUp == how } }

    /// - Parameter how: as it is configured; `nil`: it has to be set up anew.
    func setUp(_ how: String?) {
        state.withLock { state in
            state.content.setUp = how
            if how == nil { state.content.configuration = [:] }
            state.isChanged = true
        }
    }

    func credentials(_ name: String) -> (user: String, password: String)? { state.withLock { $0.credentials[name] } }

    func setCredentials(_ name: String, _ user: String, _ password: String) {
        KnownSecrets.add(password, isConfigured: true)
        state.withLock { $0.credentials[name] = (user, password) }
    }

    var wanted: String {
        get { state.withLock { $0.wanted } }
        set { state.withLock { $0.wanted = newValue } }
    }

    func note(of key: String) -> String { state.withLock { $0.key == key ? $0.note.state ?? "" : "" } }

    func setNote(_ value: String, of key: String) {
        change(key) { $0.state = value.isEmpty ? nil : value }
    }

    func urls(of key: String) -> [String] { state.withLock { $0.key == key ? $0.note.urls : [] } }

    func setURL(_ url: String, of key: String, isThere: Bool) {
        change(key) { note in
            note.urls.removeAll { $0 == url }
            if isThere, note.urls.count < 16 { note.urls.append(url) }
        }
    }

    private func change(_ key: String, _ body: (inout KeyNote) -> Void) {
        state.withLock { state in
            guard state.key == key else { return }
            body(&state.note)
            state.isNoteChanged = true
        }
    }
}

extension AnnexMemory: CustomStringConvertible, CustomReflectable {
    var description: String { "AnnexMemory" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
