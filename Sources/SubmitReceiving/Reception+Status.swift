internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
package import SubmitStore
internal import SystemPackage

extension Reception {
    /// All files of a session, as they are now.
    package func status(
        of session: ReceivingSession
    ) async throws(ReceivingRefusal) -> ReceptionChanges {
        // What changes while this is read is told again.
        let sequence = news.last
        let terms = try await terms(of: session)
        let files = try await stored { (store) throws(SubmitFailure) in try await store.incomingFiles(of: session.id) }
        for file in files { news.know(file.id, of: session.id, keptAt: file.kept) }
        var submissions: [FilePath: [SubmissionRecord]] = [:]
        for batch in Set(files.compactMap(\.batch)) {
            var last: SubmissionID?
            while true {
                let page = try await stored { [last] (store) throws(SubmitFailure) in
                    try await store.submissions(SubmissionSelection(batch: batch), after: last)
                }
                guard let end = page.last else { break }
                for record in page { submissions[record.item.source, default: []].append(record) }
                last = end.id
            }
        }
        return ReceptionChanges(
            sequence: sequence, files: files.map { status(of: $0, submissions[path(of: $0)] ?? [], terms) },
            isWhole: true)
    }

    private func path(of file: IncomingFile) -> FilePath { file.kept ?? folder.file(file.id) }

    private func status(
        of file: IncomingFile, _ records: [SubmissionRecord], _ terms: InviteTerms
    ) -> IncomingFileStatus {
        var file = file
        if file.state == .receiving, let upload = uploads.withLock({ $0[file.id] }) { file.offset = upload.offset }
        let destinations = terms.destinations.compactMap { name -> DestinationStatus? in
            guard let record = records.last(where: { $0.destination == name }) else { return nil }
            return DestinationStatus(
                destination: name, submission: record.id, state: record.state, evidence: record.receipt?.evidence,
                isProvenOriginal: record.state == .done && record.receipt?.evidence == .verified && !record.isRendition,
                sentence: record.message, code: record.code)
        }
        return IncomingFileStatus(
            file: file, destinations: destinations, sequence: news.sequence(of: file.id),
            wanted: terms.destinations.count)
    }

    /// More than this of a session at once are read as all of it is.
    private static let mostSingly = 64

    /// Those of a session that changed after a number; `nil` where nothing did.
    private func changes(
        _ session: ReceivingSession, after sequence: UInt64
    ) async throws(ReceivingRefusal) -> ReceptionChanges? {
        let (files, next, _) = news.changed(of: session.id, after: sequence)
        guard let files, files.count <= Self.mostSingly else { return try await status(of: session) }
        if files.isEmpty { return nil }
        let terms = try await terms(of: session)
        var changed: [IncomingFileStatus] = []
        for id in files {
            let row = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(id) }
            guard let row else { continue }
            let records = try await stored { (_) throws(SubmitFailure) in
                row.batch == nil ? [] : try await manager.submissions(ofKey: id.rawValue)
            }
            changed.append(status(of: row, records, terms))
        }
        return ReceptionChanges(
            sequence: next, files: changed.sorted { ($0.sequence, $0.file.id) < ($1.sequence, $1.file.id) },
            isWhole: false)
    }

    /// What changes: first what did since `sequence`, or all where that is `nil`, too old or of before a restart; then each
    /// change, at most four times a second. It ends with the session, and when its task is cancelled.
    package func changes(
        of session: ReceivingSession, after sequence: UInt64?
    ) -> AsyncStream<ReceptionChanges> {
        let (number, event) = news.watch(session.id)
        return AsyncStream(bufferingPolicy: .unbounded) { continuation in
            let task = Task { [weak self, news, pace = options.pace] in
                defer {
                    news.leave(session.id, number)
                    continuation.finish()
                }
                var sequence = sequence ?? 0
                while !Task.isCancelled, let changes = await self?.next(session, after: sequence) {
                    if let changes = changes.told {
                        sequence = changes.sequence
                        continuation.yield(changes)
                    }
                    if changes.isOver { return }
                    if changes.told != nil, pace > .zero { try? await Task.sleep(for: pace) }
                    // Whatever came while this was told has rung.
                    await event.wait(milliseconds: 3_000)
                }
            }
            continuation.onTermination = { _ in
                task.cancel()
                event.signal()
            }
        }
    }

    private func next(
        _ session: ReceivingSession, after sequence: UInt64
    ) async -> (told: ReceptionChanges?, isOver: Bool)? {
        var isOver = news.changed(of: session.id, after: sequence).isOver
        if !isOver, let known = try? await store.sessions(of: session.invite) {
            // Another process may have ended it.
            isOver = known.contains { $0.id == session.id && ($0.isExpired || $0.state == .ended) }
        }
        // What the journal does not tell now it tells later.
        return ((try? await changes(session, after: sequence)) ?? nil, isOver)
    }
}
