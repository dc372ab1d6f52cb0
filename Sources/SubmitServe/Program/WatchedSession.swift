internal import Submit
internal import SubmitPlatform
internal import SubmitReceiving
internal import SubmitStore

/// What was told of a session's files, so that each stage is told once.
struct WatchedSession: Sendable {
    struct Line: Sendable {
        let event: String
        let sentence: String
        let facts: [String: Teller.Value?]
    }

    let id: SessionID
    private let device: String
    private(set) var files: [IncomingFileID: IncomingFileStatus] = [:]

    init(_ session: ReceivingSession, _ device: String) {
        id = session.id
        self.device = device
    }

    /// Something came, nothing is missing, and no destination has yet to get anything.
    var isSettled: Bool {
        !files.isEmpty
            && files.values.allSatisfy { status in
                !status.file.state.isOpen
                    && status.destinations.allSatisfy { $0.state != .waiting && $0.state != .running }
            }
    }

    mutating func add(_ changes: ReceptionChanges) -> [Line] {
        var lines: [Line] = []
        for status in changes.files {
            let before = files.updateValue(status, forKey: status.file.id)
            let file = status.file
            if before?.file.state != file.state {
                switch file.state {
                case .receiving: lines.append(line("receiving", status, "\(file.name) is coming from \(device)."))
                case .arrived: lines.append(line("arrived", status, "\(file.name) has arrived."))
                case .refused:
                    let why = file.sentence ?? "\(file.name) was not taken."
                    lines.append(line("refused", status, why))
                case .cancelled: lines.append(line("cancelled", status, "\(file.name) was taken back by \(device)."))
                case .expired: lines.append(line("expired-file", status, "\(file.name) never came whole."))
                case .whole: break
                }
            }
            if status.isSafe, before?.isSafe != true {
                let places = status.destinations.map { "\($0.destination) \($0.evidence?.rawValue ?? "done")" }
                lines.append(line("safe", status, "\(file.name) is safe: \(places.joined(separator: ", "))."))
            }
            for place in status.destinations where place.state == .failed {
                let known = before?.destinations.first { $0.destination == place.destination }
                if known?.state == .failed { continue }
                let why = place.sentence ?? "It failed."
                lines.append(
                    line(
                        "failed", status, "\(file.name) did not get to \(place.destination): \(why)", place.destination)
                )
            }
        }
        return lines
    }

    private func line(
        _ event: String, _ status: IncomingFileStatus, _ sentence: String, _ destination: String? = nil
    ) -> Line {
        var facts: [String: Teller.Value?] = [
            "session": .number(id.rawValue), "file": .text(status.file.id.rawValue), "name": .text(status.file.name),
        ]
        facts["bytes"] = .number(status.file.length ?? status.file.offset)
        if let destination { facts["destination"] = .text(destination) }
        if let digest = status.file.digest { facts["sha256"] = .text(Hexadecimal.text(of: digest)) }
        if let code = status.file.code { facts["code"] = .text(code) }
        if event == "safe" {
            facts["destinations"] = .texts(
                status.destinations.map { "\($0.destination)=\($0.evidence?.rawValue ?? "unknown")" })
        }
        return Line(event: event, sentence: sentence, facts: facts)
    }
}

/// What the exit status says of all that came.
struct ReceivingOutcome: Sendable {
    private var sessions: [SessionID: CInt] = [:]

    mutating func note(_ session: WatchedSession) {
        let files = session.files.values
        let isFailed = files.contains { $0.file.state == .refused || $0.destinations.contains { $0.state == .failed } }
        let isWaiting = files.contains { status in
            status.file.state.isOpen || status.destinations.contains { $0.state == .waiting || $0.state == .running }
        }
        sessions[session.id] = isFailed ? 1 : isWaiting ? 3 : 0
    }

    /// As those of `submit`: 1 where something failed, 3 where something waits.
    var status: CInt {
        sessions.values.contains(1) ? 1 : sessions.values.contains(3) ? 3 : 0
    }
}
