internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// A process that is a stand-in of one service, for one test after the other.
final class ServiceProcess: Sendable {
    let values: [String: String]
    private let script: ServerScript

    private init(_ service: ServiceServer.Service) async throws {
        script = try ServerScript("fake-services.sh")
        values = try await script.start([service.rawValue])
    }

    // MARK: Who has it

    /// How many there are of one service. A test that wants more at once waits for ever.
    private static let most = 2

    private struct Place {
        var started = 0
        var idle: [ServiceProcess] = []
        var waiting: [CheckedContinuation<ServiceProcess?, Never>] = []
    }

    private static let places = Locked<[ServiceServer.Service: Place]>([:])

    /// One that nobody has.
    static func taken(_ service: ServiceServer.Service) async throws -> ServiceProcess {
        let idle: ServiceProcess? = await withCheckedContinuation { turn in
            places.withLock { places in
                var place = places[service, default: Place()]
                if let idle = place.idle.popLast() {
                    turn.resume(returning: idle)
                } else if place.started < most {
                    place.started += 1
                    turn.resume(returning: nil)
                } else {
                    place.waiting.append(turn)
                }
                places[service] = place
            }
        }
        if let idle { return idle }
        do {
            return try await ServiceProcess(service)
        } catch {
            // Who waits tries it, too.
            pass(nil, service)
            throw error
        }
    }

    static func giveBack(_ process: ServiceProcess, _ service: ServiceServer.Service) { pass(process, service) }

    /// - Parameter process: `nil` for one that came to nothing.
    private static func pass(_ process: ServiceProcess?, _ service: ServiceServer.Service) {
        places.withLock { places in
            var place = places[service, default: Place()]
            if !place.waiting.isEmpty {
                place.waiting.removeFirst().resume(returning: process)
            } else if let process {
                place.idle.append(process)
            } else {
                place.started -= 1
            }
            places[service] = place
        }
    }
}
