internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// How a run goes on, by what happened and by how far it has come from one moment to the next: what all displays show.
final class RunProgress {
    /// What is to be told of a destination.
    struct Standing {
        var moment: DestinationMoment
        /// Of the bytes, or of the submissions where there are none.
        var percent: Int
        /// Bytes a second, while anything is under way.
        var rate: Double?
        var secondsLeft: Double?
        /// More is being accepted: what is left is more than is known.
        var isGrowing: Bool
        var files: [FileStanding]
        /// Why it is no faster, or why nothing goes out.
        var reason: Slowness?
    }

    struct FileStanding {
        var moment: FileMoment
        var rate: Double?
        var secondsLeft: Double?
    }

    fileprivate struct Track {
        var moment: DestinationMoment?
        var recent = Throughput(memory: 5)
        var lasting = Throughput(memory: 30)
        var overhead = FileOverhead()
        var timeLeft = TimeLeft()
        var files: [SubmissionID: (moment: FileMoment, speed: Throughput)] = [:]
        var begun: [SubmissionID: Double] = [:]
        /// What is to be tried again, and when; `nil`: when someone has acted.
        var again: [SubmissionID: (until: Timestamp?, why: String)] = [:]
    }

    fileprivate var tracks: [String: Track] = [:]
    /// Batches of which more is being accepted.
    private var growing: Set<BatchID> = []
    private var last: Double?

    /// - Parameter time: seconds on a clock that only goes forward.
    func heed(_ event: SubmitEvent, at time: Double) {
        switch event {
        case .accepted(_, let batch, _): growing.insert(batch)
        case .batchComplete(let batch, _): growing.remove(batch)
        case .started(let note):
            tracks[note.destination, default: Track()].begun[note.id] = time
            tracks[note.destination, default: Track()].again[note.id] = nil
        case .done(let note, let receipt):
            if let begun = end(note), !receipt.wasThere {
                tracks[note.destination, default: Track()].overhead.add(bytes: note.item.size, seconds: time - begun)
            }
        case .failed(let note, _), .cancelled(let note): _ = end(note)
        case .waiting(let note, let failure, let until):
            _ = end(note)
            tracks[note.destination, default: Track()].again[note.id] = (until, failure.advised(at: note.destination))
        default: break
        }
    }

    private func end(_ note: SubmissionNote) -> Double? {
        tracks[note.destination, default: Track()].again[note.id] = nil
        return tracks[note.destination, default: Track()].begun.removeValue(forKey: note.id)
    }

    func standings(_ moments: [DestinationMoment], at time: Double) -> [Standing] {
        // This process was stopped, or the machine slept.
        let seconds = time - (last ?? time) < 5 ? time - (last ?? time) : 0
        last = time
        return moments.map { moment in
            var track = tracks[moment.name] ?? Track()
            defer { tracks[moment.name] = track }
            return track.standing(moment, after: seconds, isGrowing: !growing.isEmpty)
        }
    }
}

extension RunProgress.Track {
    fileprivate mutating func standing(
        _ now: DestinationMoment, after seconds: Double, isGrowing: Bool
    ) -> RunProgress.Standing {
        let isOpen = now.left > 0
        let stands = now.state?.isPaused == true && now.files.isEmpty || now.state?.hold != nil
        if seconds > 0, isOpen, !stands {
            let before = moment ?? now
            let (bytes, files) = (max(0, now.sent - before.sent), max(0, now.ended - before.ended))
            recent.add(bytes: bytes, in: seconds)
            // What the first moment sends is what buffers take.
            if recent.time > 1 { lasting.add(bytes: bytes, files: files, in: seconds) }
        }
        moment = now
        let underWay = now.sizeUnderWay
        // How long answers take is not to be told from what went out.
        let isKnown = isOpen && !stands && lasting.time >= 2 && !now.awaitsAnswers
        let left =
            isKnown
            ? lasting.seconds(bytes: now.leftSize - underWay, files: now.filesLeft, overhead: overhead.bytes) : nil
        let done = now.totalSize - now.leftSize + underWay
        let share =
            now.totalSize > 0 ? Double(done) / Double(now.totalSize) : Double(now.ended) / Double(max(1, now.total))
        return RunProgress.Standing(
            moment: now, percent: isOpen ? min(99, Int(100 * share)) : 100,
            rate: isOpen && !stands && !now.awaitsAnswers ? recent.rate : nil,
            secondsLeft: timeLeft.show(left, after: seconds),
            isGrowing: isGrowing, files: fileStandings(now.files, after: seconds),
            reason: Slowness(now, again: again.values.map { $0 }))
    }

    private mutating func fileStandings(
        _ now: [FileMoment], after seconds: Double
    ) -> [RunProgress.FileStanding] {
        var kept: [SubmissionID: (moment: FileMoment, speed: Throughput)] = [:]
        defer { files = kept }
        return now.map { file in
            var (before, speed) = files[file.submission] ?? (file, Throughput(memory: 5))
            if before.attempt != file.attempt { (before, speed) = (file, Throughput(memory: 5)) }
            if seconds > 0 { speed.add(bytes: max(0, file.sent - before.sent), in: seconds) }
            kept[file.submission] = (file, speed)
            return RunProgress.FileStanding(
                moment: file, rate: speed.rate,
                secondsLeft: speed.seconds(bytes: file.size - file.sent, files: 0, overhead: 0))
        }
    }
}
