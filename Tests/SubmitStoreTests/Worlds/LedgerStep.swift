import Submit
import SubmitStore
import TestServers

/// Something that is asked of a store. Numbers choose among what there is then.
enum LedgerStep: Hashable, Sendable {
    case accept(items: Int, to: [String], isRefused: Bool)
    case claim(worker: Int, at: String, batch: Int?, others: Bool, limit: Int, inOrder: Bool)
    /// Of any claim there ever was.
    case settle(claim: Int, LedgerEnding, landed: Int64, StoreFault)
    case keep(claim: Int, UInt8?)
    /// A worker ends, and somebody notices.
    case die(worker: Int)
    case pause(String)
    case resume(String)
    case hold(claim: Int, HoldReason?, isProbe: Bool)
    case endHold(String)
    case lookAgain(String, isAsked: Bool)
    case giveBackLook(String)
    case hurry(String)
    case cancel(LedgerChoice)
    case retry(LedgerChoice)
    case takeUp(String)
    case owe(submission: Int)
    case condemn(submission: Int)
    case wait(seconds: Int)
    /// A worker asks what others made of the batches, all of which it attends.
    case hear(worker: Int)

    static let destinations = ["a", "b"]

    static func drawn(_ numbers: inout SeededNumbers) -> LedgerStep {
        let destination = destinations.randomElement(using: &numbers) ?? "a"
        let (any, worker) = (Int.random(in: 0..<100, using: &numbers), Int.random(in: 0..<3, using: &numbers))
        let choice = LedgerChoice.drawn(&numbers)
        let isSo = Bool.random(using: &numbers)
        switch Int.random(in: 0..<100, using: &numbers) {
        case ..<8:
            return .accept(
                items: .random(in: 1...3, using: &numbers), to: isSo ? destinations : [destination],
                isRefused: any.isMultiple(of: 7))
        case ..<31:
            let batch = isSo ? any : nil
            return .claim(
                worker: worker, at: destination, batch: batch, others: batch == nil || any.isMultiple(of: 2),
                limit: .random(in: 1...4, using: &numbers), inOrder: any.isMultiple(of: 3))
        case ..<55:
            // The latest claims, mostly.
            return .settle(
                claim: isSo ? -1 - any % 4 : any, LedgerEnding.allCases.randomElement(using: &numbers) ?? .done,
                landed: .random(in: 0...3, using: &numbers), any.isMultiple(of: 2) ? .own : .none)
        case ..<60: return .keep(claim: isSo ? -1 - any % 4 : any, any.isMultiple(of: 4) ? nil : UInt8(any))
        case ..<64: return .die(worker: worker)
        case ..<66: return .pause(destination)
        case ..<69: return .resume(destination)
        case ..<74:
            let reasons: [HoldReason?] = [.unreachable, .full, .misconfigured, nil]
            return .hold(claim: any, reasons[any % 4], isProbe: isSo)
        case ..<77: return .endHold(destination)
        case ..<79: return .lookAgain(destination, isAsked: isSo)
        case ..<80: return .giveBackLook(destination)
        case ..<82: return .hurry(destination)
        case ..<84: return .cancel(choice)
        case ..<87: return .retry(choice)
        case ..<89: return .takeUp(destination)
        case ..<92: return .owe(submission: any)
        case ..<94: return .condemn(submission: any)
        case ..<96: return .hear(worker: worker)
        default: return .wait(seconds: [1, 10, 50, 100][any % 4])
        }
    }
}

/// How an attempt ends.
enum LedgerEnding: Hashable, Sendable, CaseIterable {
    case done, failed, unknown, waiting, waitsUncounted, cancelled, released, untried

    static let finding = SubmitFailure(.giveUp, code: "test", message: "It failed.")
    static let doubt = SubmitFailure(
        .outcomeUnknown, code: SubmitFailure.outcomeUnknownCode, message: "Nobody knows.")
    static let wait = Duration.seconds(20)
    static let receipt = Receipt(remoteID: "x", evidence: .verified)

    var settlement: Settlement {
        switch self {
        case .done: .done(Self.receipt)
        case .failed: .failed(Self.finding)
        case .unknown: .failed(Self.doubt)
        case .waiting: .waiting(Self.finding, after: Self.wait, counts: true)
        case .waitsUncounted: .waiting(Self.finding, after: Self.wait, counts: false)
        case .cancelled: .cancelled
        case .released: .released
        case .untried: .untried
        }
    }

    var state: SubmissionState {
        switch self {
        case .done: .done
        case .failed, .unknown: .failed
        case .waiting, .waitsUncounted, .released, .untried: .waiting
        case .cancelled: .cancelled
        }
    }

    /// What the attempt is called; `nil`: there was none.
    var outcome: String? {
        switch self {
        case .done: "done"
        case .failed, .unknown: "failed"
        case .waiting, .waitsUncounted: "waiting"
        case .cancelled: "cancelled"
        case .released: "interrupted"
        case .untried: nil
        }
    }

    var failure: SubmitFailure? {
        switch self {
        case .failed, .waiting, .waitsUncounted: Self.finding
        case .unknown: Self.doubt
        default: nil
        }
    }
}

/// Which submissions a command means.
enum LedgerChoice: Hashable, Sendable {
    case all
    case batch(Int)
    case destination(String)
    case submission(Int)

    static func drawn(_ numbers: inout SeededNumbers) -> LedgerChoice {
        let any = Int.random(in: 0..<100, using: &numbers)
        switch any % 8 {
        case 0: return .all
        case 1, 2: return .batch(any)
        case 3: return .destination(LedgerStep.destinations[any % 2])
        default: return .submission(any)
        }
    }
}
