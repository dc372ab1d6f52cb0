import Foundation
import Submit
import SubmitPluginProtocol
import SystemPackage

@testable import SubmitPluginHost

/// The programs in the folder `Programs`, most of which do not keep to the protocol.
enum TestPrograms {
    static let folder = FilePath(#filePath).removingLastComponent().removingLastComponent().appending("Programs")

    static func program(_ name: String) -> ExternalProgram {
        ExternalProgram(name: name, path: folder.appending(PluginProtocol.programPrefix + name))
    }

    /// Ends are short: what does not end by itself is not waited for.
    static func surroundings(
        _ clock: HandClock = HandClock(), environment: [String: String] = [:]
    ) -> ProgramEnvironment {
        let usual = ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        var surroundings = ProgramEnvironment(
            host: "submit tests", environment: usual.merging(environment) { $1 },
            passing: Dictionary(uniqueKeysWithValues: names.map { ($0, ["PYTHONDONTWRITEBYTECODE"]) }))
        surroundings.clock = clock.clock
        surroundings.patience.terminating = .milliseconds(100)
        surroundings.patience.leaving = .milliseconds(100)
        return surroundings
    }

    static func submitter(
        _ name: String, _ surroundings: ProgramEnvironment = surroundings(), values: [String: String] = [:],
        secrets: [String: String] = [:], notes: any DestinationNotes = TransientNotes()
    ) async throws -> ExternalSubmitter {
        let settings = DestinationSettings(destination: "shelf", values: values, secrets: secrets, notes: notes)
        return try await program(name).submitter(settings, surroundings) as! ExternalSubmitter
    }
}

extension ExternalSubmitter {
    /// Submits a photo.
    ///
    /// - Parameter begun: called when the program says that it has begun.
    func submit(
        _ photo: Photo, as submission: String = "test-1", attempt: Int = 1, begun: @escaping @Sendable () -> Void = {}
    ) async -> Result<Receipt, SubmitFailure> {
        let context = SubmissionContext(submission: submission, attempt: attempt, sent: { _ in begun() })
        do throws(SubmitFailure) {
            return .success(try await submit(photo.item, bytes: photo, context: context))
        } catch {
            return .failure(error)
        }
    }
}

extension Result {
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// Looks again and again until it is so. That it never is, the test's time limit finds.
func eventually(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
}

/// What runs on this machine.
enum Processes {
    /// Those of a process group that are no zombies.
    static func living(inGroup group: pid_t) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { process in
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            return fields.count > 2 && fields[2] == "\(group)" && fields[0] != "Z" && fields[0] != "X"
        }
    }

    /// Whether it is there at all, be it as a zombie.
    static func isThere(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    /// Whether it has ended and nobody has asked how.
    static func isZombie(_ process: pid_t) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") Z ")
    }

    /// Bytes of memory that this process has now.
    static var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
            * Int(sysconf(CInt(_SC_PAGESIZE)))
    }
}
