import Foundation
import Submit
import SubmitCatalogue
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers

/// Asks questions of a filled journal, as the command and services do, and prints what each costs.
struct Asking {
    private let pictures: any PictureStore
    private let library: DrawnLibrary

    /// How often each is asked at the least; those that are soon answered four times as often.
    private static let times = 50
    /// How often it is asked before that.
    private static let warming = 5
    /// Milliseconds.
    private static let goal = 5.0

    init(_ path: FilePath, _ library: DrawnLibrary) throws {
        SQLiteCounts.begin()
        let manager = SubmitManager(store: try Journal(path: path).store, registry: try SubmitterRegistry([]))
        pictures = manager.pictures
        self.library = library
    }

    /// - Parameter part: of the names of those that are asked; `nil`: all are.
    func measure(_ part: String?) async throws {
        print(
            "question".padded(44), "rows".padded(7, left: true), "median".padded(9, left: true),
            "95 %".padded(9, left: true), "most, ms".padded(9, left: true), "CPU".padded(9, left: true),
            "95 %, ms".padded(9, left: true), "steps".padded(10, left: true),
            "pages".padded(7, left: true), " goal")
        for (number, kind) in DrawnQuestion.all.enumerated() where part.map(kind.name.contains) ?? true {
            var drawing = QuestionDrawing(
                pictures: pictures, library: library, numbers: SeededNumbers(seed: UInt64(number)))
            var answers: [Answer] = []
            let began = ContinuousClock.now
            while answers.count < Self.warming + Self.times
                || answers.count < Self.warming + 4 * Self.times && began.duration(to: .now) < .seconds(10)
            {
                answers.append(try await answer(try await kind.draw(&drawing)))
            }
            tell(kind, Array(answers.dropFirst(Self.warming)))
        }
        print("peak memory of all this: \(Self.peak) MiB")
    }

    private struct Answer {
        var rows = 0
        var milliseconds = 0.0
        /// Of processors: what others take of them does not count.
        var used = 0.0
        var counts = SQLiteCounts.Counts()
    }

    private func answer(_ question: DrawnQuestion.Asked) async throws -> Answer {
        _ = SQLiteCounts.take()
        var answer = Answer()
        let (began, used) = (ContinuousClock.now, Self.used)
        switch question {
        case .page(let query): answer.rows = try await pictures.page(query).pictures.count
        case .count(let typed): answer.rows = try await pictures.count(typed.filter, typed.search)
        case .distinct(let field, let limit):
            answer.rows = try await pictures.distinct(field, .everything, nil, limit: limit).count
        }
        answer.milliseconds = began.duration(to: .now) / .milliseconds(1)
        answer.used = Self.used - used
        answer.counts = SQLiteCounts.take()
        return answer
    }

    private func tell(_ kind: DrawnQuestion, _ answers: [Answer]) {
        func at<Value: Comparable>(_ part: Double, _ value: (Answer) -> Value) -> Value {
            answers.map(value).sorted()[Int(part * Double(answers.count - 1))]
        }
        let used = at(0.95, \.used)
        func figure(_ value: Double) -> String { String(format: "%.2f", value).padded(9, left: true) }
        print(
            kind.name.padded(44), "\(at(0.5, \.rows))".padded(7, left: true), figure(at(0.5, \.milliseconds)),
            figure(at(0.95, \.milliseconds)), figure(at(1, \.milliseconds)), figure(at(0.5, \.used)), figure(used),
            "\(at(0.5, \.counts.steps))".padded(10, left: true),
            "\(at(0.5, \.counts.pages))".padded(7, left: true),
            kind.hasGoal ? (used <= Self.goal ? " met" : " missed") : "")
    }

    /// Milliseconds of processors that this process has had.
    private static var used: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// MiB that this process had at the most.
    private static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1024 } ?? 0
    }
}

extension String {
    fileprivate func padded(_ width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return left ? blanks + self : self + blanks
    }
}
