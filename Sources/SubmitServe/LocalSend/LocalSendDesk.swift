internal import HTTPTypes
internal import Crypto
internal import Submit
internal import SubmitConcurrency
internal import SubmitReceiving
internal import SubmitStore

/// Who sends by LocalSend at the moment, and what may come of it: one sender at a time, by its address, with a token a file.
final class LocalSendDesk: Sendable {
    struct OfferedTransfer: Sendable {
        let id: String
        let address: String
        let session: ReceivingSession
        /// By the sender's own names of the files.
        var files: [String: (token: String, offer: FileOffer)]
        var lastUsed: ContinuousClock.Instant
        /// Files that come at this moment: it is theirs as long as that takes.
        var underWay = 0

        func isOver(after patience: Duration) -> Bool {
            underWay == 0 && ContinuousClock.now - lastUsed >= patience
        }
    }

    /// Wrong PINs of an address; more are not looked at.
    private static let mostWrong = 3
    /// Wrong PINs of all of them: there are as many addresses as anyone likes.
    private static let mostWrongOfAll = 20

    private let transfer = Locked<OfferedTransfer?>(nil)
    private let wrongPINs = Locked<(by: [String: Int], all: Int)>(([:], 0))
    /// `nil`: none is asked for.
    private let pin: String?
    private let patience: Duration

    /// - Parameter patience: after this time of silence another sender gets its turn.
    init(pin: String?, patience: Duration = .seconds(60)) { (self.pin, self.patience) = (pin, patience) }

    /// - Throws: where the PIN is missing or another one, or was too often.
    func check(_ given: String?, from address: String) throws(WebRefusal) {
        guard let pin else { return }
        let isOver = wrongPINs.withLock {
            $0.by[address, default: 0] >= Self.mostWrong || $0.all >= Self.mostWrongOfAll
        }
        if isOver {
            throw WebRefusal(
                .tooManyRequests, "too-often",
                "Too many wrong PINs came: begin receiving at the computer again, and take the new one.")
        }
        if let given, Self.isEqual(given, pin) {
            wrongPINs.withLock { $0.by[address] = nil }
            return
        }
        // To ask without one is how a sender finds out that there is one.
        if given != nil {
            wrongPINs.withLock { wrong in
                wrong.by[address, default: 0] += 1
                wrong.all += 1
            }
        }
        throw WebRefusal(.unauthorized, "pin", "The PIN that the computer shows is needed.")
    }

    var isBusy: Bool {
        transfer.withLock { transfer in transfer.map { !$0.isOver(after: patience) } ?? false }
    }

    func begin(_ files: [String: FileOffer], _ session: ReceivingSession, from address: String) throws(WebRefusal)
        -> OfferedTransfer
    {
        let fresh = OfferedTransfer(
            id: Self.random(), address: address, session: session,
            files: files.mapValues { (Self.random(), $0) }, lastUsed: .now)
        let isTaken = transfer.withLock { transfer in
            if let transfer, !transfer.isOver(after: patience) { return true }
            transfer = fresh
            return false
        }
        if isTaken { throw Self.busy }
        return fresh
    }

    static let busy = WebRefusal(.conflict, "busy", "Another device sends at this moment.")

    /// What a token is for. Until ``leave(_:)`` nobody else gets a turn.
    ///
    /// - Throws: for another token, another session and another address alike.
    func enter(
        _ id: String?, _ file: String?, _ token: String?, from address: String
    ) throws(WebRefusal) -> (session: ReceivingSession, offer: FileOffer) {
        let found = transfer.withLock { transfer -> (ReceivingSession, FileOffer)? in
            guard let current = transfer, let id, let file, let token, current.address == address,
                Self.isEqual(id, current.id), let known = current.files[file], Self.isEqual(token, known.token)
            else { return nil }
            transfer?.underWay += 1
            return (current.session, known.offer)
        }
        guard let found else { throw WebRefusal(.forbidden, "token", "This file was not asked for.") }
        return found
    }

    /// A file comes no more, whatever became of it.
    func leave(_ id: String) {
        transfer.withLock { transfer in
            guard transfer?.id == id else { return }
            transfer?.underWay -= 1
            transfer?.lastUsed = .now
        }
    }

    /// It is there, and its token is for nothing more.
    func finish(_ id: String, _ file: String) {
        transfer.withLock { transfer in
            guard transfer?.id == id else { return }
            transfer?.files[file] = nil
            if transfer?.files.isEmpty == true { transfer = nil }
        }
    }

    func cancel(_ id: String?, from address: String) {
        transfer.withLock { transfer in
            if transfer?.address == address, id == nil || id == transfer?.id { transfer = nil }
        }
    }

    /// Six digits, to be shown.
    static func freshPIN() -> String { (0..<6).map { _ in "\(Int.random(in: 0...9))" }.joined() }

    private static func isEqual(_ one: String, _ other: String) -> Bool {
        SHA256.hash(data: Array(one.utf8)) == SHA256.hash(data: Array(other.utf8))
    }

    private static func random() -> String {
        Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }
}
