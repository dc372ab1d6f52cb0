import Foundation
import Submit
import SubmitTesting
import TestServers

/// A place that rclone reaches through a proxy when it shall meet a fault.
protocol ProxiedPlace: HTTPContractPlace {
    var proxy: FaultyProxy { get }

    /// The requests of a submission at which faults are made, counted from 0: the one that stores, and the one that gives
    /// the name. That all fail is tried by itself. Each takes some 15 runs of rclone; `SUBMIT_EVERY_REQUEST=1` tries all.
    static var requests: [Int] { get }

    /// - Parameter origin: scheme, host and port.
    func submitter(at origin: String) throws(SubmitFailure) -> any Submitter
}

extension ProxiedPlace {
    var wire: FaultyTransport { proxy.wire }

    func submitter(meeting fault: ContractFault) throws -> (any Submitter)? {
        wire.make(fault)
        return try submitter(at: proxy.endpoint)
    }

    func submitter(meeting fault: ContractFault, atRequest number: Int) throws -> (any Submitter)? {
        let isEvery = ProcessInfo.processInfo.environment["SUBMIT_EVERY_REQUEST"] != nil
        // After the last of them none meets it, which ends the case.
        let request = isEvery ? number : number < Self.requests.count ? Self.requests[number] : .max
        wire.make(fault, after: request)
        return try submitter(at: proxy.endpoint)
    }
}
