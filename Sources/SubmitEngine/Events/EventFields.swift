internal import Foundation
internal import Submit
internal import SubmitStore
internal import SystemPackage

// What events hold, key by key: each is written and read beside the other.

// MARK: A submission, and what came of it

extension KeyedEncodingContainer<EventKey> {
    mutating func encode(_ note: SubmissionNote) throws {
        try encode(note.id, forKey: .submission)
        try encode(note.batch, forKey: .batch)
        try encode(note.destination, forKey: .destination)
        try encode(note.attempt, forKey: .attempt)
        try encode(CodedItem(note.item), forKey: .item)
        try encodeIfPresent(note.recipe, forKey: .recipe)
    }

    mutating func encode(_ receipt: Receipt) throws {
        try encode(receipt.remoteID, forKey: .remoteID)
        try encodeIfPresent(receipt.url, forKey: .url)
        try encode(receipt.evidence, forKey: .evidence)
        try encode(receipt.wasThere, forKey: .wasThere)
        try encodeIfPresent(receipt.note, forKey: .note)
        if !receipt.marks.isEmpty { try encode(receipt.marks, forKey: .marks) }
    }
}

extension KeyedDecodingContainer<EventKey> {
    func note() throws -> SubmissionNote {
        SubmissionNote(
            id: try decode(SubmissionID.self, forKey: .submission), batch: try decode(BatchID.self, forKey: .batch),
            destination: try decode(String.self, forKey: .destination),
            item: try decode(CodedItem.self, forKey: .item).item,
            attempt: try decode(Int.self, forKey: .attempt),
            recipe: try decodeIfPresent(String.self, forKey: .recipe))
    }

    func receipt() throws -> Receipt {
        Receipt(
            remoteID: try decode(String.self, forKey: .remoteID), url: try decodeIfPresent(String.self, forKey: .url),
            evidence: try decode(Evidence.self, forKey: .evidence), wasThere: try decode(Bool.self, forKey: .wasThere),
            note: try decodeIfPresent(String.self, forKey: .note),
            marks: try decodeIfPresent([String: String].self, forKey: .marks) ?? [:])
    }
}

// MARK: Failures

/// A remedy's name in an event.
private enum EventRemedyName: String, Codable {
    case retry
    case tryAnother = "try-another"
    case wait
    case renewCredentials = "renew-credentials"
    case hold
    case giveUp = "give-up"
    case sourceLost = "source-lost"
    case cancelled
    case outcomeUnknown = "outcome-unknown"
}

extension KeyedEncodingContainer<EventKey> {
    mutating func encode(_ failure: SubmitFailure) throws {
        try encode(failure.code, forKey: .code)
        try encode(failure.message, forKey: .message)
        let name: EventRemedyName
        switch failure.remedy {
        case .retry(let after):
            name = .retry
            try encodeIfPresent(after?.milliseconds, forKey: .after)
        case .tryAnother(let after):
            name = .tryAnother
            try encodeIfPresent(after?.milliseconds, forKey: .after)
        case .wait(let after):
            name = .wait
            try encode(after.milliseconds, forKey: .after)
        case .hold(let reason, let after):
            name = .hold
            try encode(reason, forKey: .reason)
            try encodeIfPresent(after?.milliseconds, forKey: .after)
        case .renewCredentials: name = .renewCredentials
        case .giveUp: name = .giveUp
        case .sourceLost: name = .sourceLost
        case .cancelled: name = .cancelled
        case .outcomeUnknown: name = .outcomeUnknown
        }
        try encode(name, forKey: .remedy)
    }
}

extension KeyedDecodingContainer<EventKey> {
    func failure() throws -> SubmitFailure {
        func after() throws -> Duration? { try decodeIfPresent(Int64.self, forKey: .after).map(Duration.milliseconds) }
        let remedy: Remedy =
            switch try decode(EventRemedyName.self, forKey: .remedy) {
            case .retry: .retry(after: try after())
            case .tryAnother: .tryAnother(after: try after())
            case .wait: .wait(after: .milliseconds(try decode(Int64.self, forKey: .after)))
            case .hold: .hold(try decode(HoldReason.self, forKey: .reason), after: try after())
            case .renewCredentials: .renewCredentials
            case .giveUp: .giveUp
            case .sourceLost: .sourceLost
            case .cancelled: .cancelled
            case .outcomeUnknown: .outcomeUnknown
            }
        return SubmitFailure(
            remedy, code: try decode(String.self, forKey: .code), message: try decode(String.self, forKey: .message))
    }
}

// MARK: Destinations

extension KeyedEncodingContainer<EventKey> {
    mutating func encode(_ state: DestinationState) throws {
        try encode(state.name, forKey: .destination)
        if state.isPaused { try encode(true, forKey: .paused) }
        guard let hold = state.hold else { return }
        // Without a reason it waits for credentials.
        try encode(hold.reason?.rawValue ?? "credentials", forKey: .reason)
        try encodeIfPresent(hold.until?.text, forKey: .until)
        try encode(hold.count, forKey: .holds)
        try encode(hold.code, forKey: .code)
        try encode(hold.message, forKey: .message)
    }
}

extension KeyedDecodingContainer<EventKey> {
    func state() throws -> DestinationState {
        var state = DestinationState(name: try decode(String.self, forKey: .destination))
        state.isPaused = try decodeIfPresent(Bool.self, forKey: .paused) ?? false
        guard contains(.reason) else { return state }
        state.hold = DestinationState.Hold(
            reason: try decode(String.self, forKey: .reason) == "credentials"
                ? nil : try decode(HoldReason.self, forKey: .reason),
            until: try timeIfPresent(.until), count: try decode(Int.self, forKey: .holds),
            code: try decode(String.self, forKey: .code), message: try decode(String.self, forKey: .message))
        return state
    }
}

// MARK: Paths and times

extension KeyedEncodingContainer<EventKey> {
    /// - Parameter bytes: has the path in Base64, where it is no UTF-8 and its text is not all of it.
    mutating func encode(_ path: FilePath, _ text: EventKey, _ bytes: EventKey) throws {
        try encode(path.string, forKey: text)
        if String(validating: path) == nil {
            let raw = path.withPlatformString { Data(bytes: $0, count: path.length) }
            try encode(raw.base64EncodedString(), forKey: bytes)
        }
    }
}

extension KeyedDecodingContainer<EventKey> {
    func path(_ text: EventKey, _ bytes: EventKey) throws -> FilePath {
        let exact = try valueIfPresent(bytes) { Data(base64Encoded: $0) }
        guard let exact else { return FilePath(try decode(String.self, forKey: text)) }
        return (exact + [0]).withUnsafeBytes { buffer in
            buffer.withMemoryRebound(to: CInterop.PlatformChar.self) { characters in
                characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
            }
        }
    }

    func time(_ key: EventKey) throws -> Timestamp {
        guard let time = try timeIfPresent(key) else {
            throw DecodingError.keyNotFound(key, context("it is missing", key))
        }
        return time
    }

    func timeIfPresent(_ key: EventKey) throws -> Timestamp? {
        try valueIfPresent(key) { Timestamp(text: $0) }
    }

    /// What a text means; `nil` where it is not there.
    ///
    /// - Throws: where it means nothing.
    func valueIfPresent<Value>(_ key: EventKey, _ read: (String) -> Value?) throws -> Value? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let value = read(text) else {
            throw DecodingError.dataCorrupted(context("“\(text)” makes no sense", key))
        }
        return value
    }

    private func context(_ words: String, _ key: EventKey) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath + [key], debugDescription: words)
    }
}
