internal import Foundation

/// How a run goes on, as lines of a terminal: one a destination where there is little room, and more where there is.
struct DestinationLines {
    let screen: Screen
    /// How far files have come that are being sent.
    var knowsFiles = true

    /// Files of one destination that have a line each.
    private static let mostFiles = 4
    /// With fewer columns each destination has one line.
    private static let fewestColumns = 64

    /// - Parameters:
    ///   - elapsed: seconds since the run began.
    ///   - columns: of the screen; the last one is not used.
    ///   - rows: of the screen.
    func lines(_ standings: [RunProgress.Standing], elapsed: Double, columns: Int, rows: Int) -> [String] {
        if standings.isEmpty { return [] }
        // Half the screen: what a narrower one wraps has still room, and none of it is scrolled away for good.
        let (room, most) = (max(8, columns - 1), max(1, min(rows - 1, max(standings.count, rows / 2))))
        let name = min(20, room / 3, standings.map { Printable.width($0.moment.name) }.max() ?? 0)
        let isWide = columns >= Self.fewestColumns && most >= 2 * standings.count + 1
        guard isWide else { return narrow(standings, name, room, most) }
        var free = most - standings.count - 1
        let reasons = standings.map(\.reason)
        free -= reasons.count { $0 != nil }
        var lines: [String] = []
        for (index, standing) in standings.enumerated() {
            lines.append(head(standing, name, room, withReason: false))
            if let reason = standing.reason {
                let text = Printable.cut("  \(reason.sentence)", room)
                lines.append(screen.styled(text, reason.isStanding ? .waiting : .quiet))
            }
            // The others have their share of what is free.
            let share = min(Self.mostFiles + 1, free / (standings.count - index))
            let files = self.files(standing.files, room, atMost: share)
            free -= files.count
            lines += files
        }
        lines.append(screen.styled(Printable.cut(sum(standings, elapsed), room), .quiet))
        return lines
    }

    /// One destination on a line of its own.
    func line(_ standing: RunProgress.Standing, columns: Int) -> String {
        head(standing, min(20, Printable.width(standing.moment.name)), columns - 1, withReason: true)
    }

    private func narrow(_ standings: [RunProgress.Standing], _ name: Int, _ room: Int, _ most: Int) -> [String] {
        let isAll = standings.count <= most
        var lines = standings.prefix(isAll ? most : max(1, most - 1)).map { head($0, name, room, withReason: true) }
        if !isAll, most > 1 { lines.append(Printable.cut("… \(standings.count - most + 1) more destinations", room)) }
        return lines
    }

    /// What matters least goes first where there is too little room.
    private func head(_ standing: RunProgress.Standing, _ name: Int, _ room: Int, withReason: Bool) -> String {
        let moment = standing.moment
        let done = moment.totalSize - moment.leftSize + moment.sizeUnderWay
        var parts: [(text: String, weight: Int)] = [
            (
                "\(String(repeating: " ", count: standing.percent < 10 ? 2 : standing.percent < 100 ? 1 : 0))\(standing.percent) %",
                9
            ),
            ("\(moment.ended) of \(moment.total)\(standing.isGrowing ? "+" : "")", 8),
            ("\(Printable.bytes(done)) of \(Printable.bytes(moment.totalSize))", 4),
        ]
        if let rate = standing.rate, knowsFiles || rate > 0 { parts.append(("\(Printable.bytes(Int64(rate)))/s", 3)) }
        if let left = standing.secondsLeft {
            parts.append(("\(standing.isGrowing ? "more than " : "")\(Printable.time(seconds: left)) left", 7))
        }
        if moment.wereThere > 0 { parts.append(("\(moment.wereThere) were there", 1)) }
        if moment.skipped > 0 { parts.append(("\(moment.skipped) skipped", 2)) }
        if moment.failed > 0 { parts.append(("\(moment.failed) failed", 6)) }
        if moment.cancelled > 0 { parts.append(("\(moment.cancelled) cancelled", 2)) }
        let label = Printable.fit(moment.name, name)
        func text() -> String { ([label] + parts.map(\.text)).joined(separator: "  ") }
        let reason = withReason ? standing.reason.flatMap { $0.isStanding ? $0.sentence : nil } : nil
        // Why nothing goes on is told before how much has.
        let needed = reason.map { min(room / 2, Printable.width($0) + 2) } ?? 0
        while parts.count > 1, Printable.width(text()) + needed > room,
            let least = parts.indices.min(by: { parts[$0].weight < parts[$1].weight })
        {
            parts.remove(at: least)
        }
        guard let reason else {
            if let rest = withReason ? files(standing, room - Printable.width(text()) - 2) : nil {
                return Printable.cut("\(text())  \(rest)", room)
            }
            let line = Printable.cut(text(), room)
            return line.hasPrefix(label) ? screen.styled(label, .strong) + line.dropFirst(label.count) : line
        }
        return Printable.cut("\(text())  \(reason)", room)
    }

    /// Which file is being sent, where a line has room for it.
    private func files(_ standing: RunProgress.Standing, _ room: Int) -> String? {
        guard room >= 12, let first = standing.files.first else { return nil }
        let more = standing.files.count > 1 ? " +\(standing.files.count - 1)" : ""
        return Printable.fit(first.moment.name, room - more.count, fills: false) + more
    }

    private func files(_ files: [RunProgress.FileStanding], _ room: Int, atMost most: Int) -> [String] {
        guard most > 0, !files.isEmpty else { return [] }
        let shown = files.count <= min(most, Self.mostFiles) ? files.count : max(0, most - 1)
        var lines = files.prefix(shown).map { file -> String in
            let moment = file.moment
            guard knowsFiles else {
                let name = Printable.fit(moment.name, min(32, room / 3), fills: true)
                return Printable.cut("  \(name)  \(Printable.bytes(moment.size)), being sent", room)
            }
            let percent = moment.size > 0 ? Int(100 * Double(moment.sent) / Double(moment.size)) : 0
            var parts = ["\(percent) % of \(Printable.bytes(moment.size))"]
            if moment.sent >= moment.size {
                parts = ["\(Printable.bytes(moment.size)) sent, waiting for the server"]
            } else {
                if let rate = file.rate { parts.append("\(Printable.bytes(Int64(rate)))/s") }
                if let left = file.secondsLeft { parts.append("\(Printable.time(seconds: left)) left") }
            }
            if moment.attempt > 1 { parts.append("attempt \(moment.attempt)") }
            let name = Printable.fit(moment.name, min(32, room / 3), fills: true)
            return Printable.cut("  \(name)  \(parts.joined(separator: "  "))", room)
        }
        if shown < files.count {
            lines.append(
                Printable.cut(
                    "  \(shown > 0 ? "and " : "")\(files.count - shown) \(shown > 0 ? "more" : "files") under way", room
                ))
        }
        return lines
    }

    private func sum(_ standings: [RunProgress.Standing], _ elapsed: Double) -> String {
        var text = "\(Printable.time(seconds: elapsed)) so far"
        let lefts = standings.filter { $0.moment.left > 0 && $0.reason?.isStanding != true }.map(\.secondsLeft)
        if standings.count > 1, let longest = lefts.compactMap({ $0 }).max(), lefts.allSatisfy({ $0 != nil }) {
            text += ", about \(Printable.time(seconds: longest)) left"
        }
        if standings.contains(where: \.isGrowing) { text += "; still looking for more to send" }
        return text
    }
}
