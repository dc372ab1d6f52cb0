import CDrawnFiles
import Glibc
import Submit
import SubmitConcurrency
import TestServers

/// A folder of this process, at whose path somebody answers all file calls. It goes with this value.
final class DrawnFolder: Sendable {
    typealias Answer = @Sendable (inout FileCall) -> Int64

    let path: String
    private let number: Int32

    private static let all = Locked<(next: Int32, answers: [Int32: Answer])>((1, [:]))

    /// Holds all of them, each called as its number.
    private static let home: TemporaryFolder = {
        let home = TemporaryFolder()
        drawn_files_begin(home.path + "/") { number, call in
            guard let call else { return 0 }
            guard let answer = DrawnFolder.all.withLock({ $0.answers[number] }) else {
                return drawn_files_perform(call)
            }
            return answer(&call.pointee)
        }
        return home
    }()

    init() {
        number = Self.all.withLock { all in
            defer { all.next += 1 }
            return all.next
        }
        path = "\(Self.home.path)/\(number)"
        _ = Self.truly { mkdir(path, 0o755) }
    }

    deinit {
        Self.all.withLock { _ = $0.answers.removeValue(forKey: number) }
        Self.truly { DrawnDisk.removeAll(below: path) }
    }

    /// From now on calls get these answers.
    func answer(_ answer: @escaping Answer) { Self.all.withLock { $0.answers[number] = answer } }

    /// Without anybody's answers.
    static func truly<Value>(_ body: () -> Value) -> Value {
        drawn_files_look_through(1)
        defer { drawn_files_look_through(0) }
        return body()
    }
}
