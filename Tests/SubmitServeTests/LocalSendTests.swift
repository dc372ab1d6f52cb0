import Foundation
import HTTPTypes
import NIOCore
import Submit
import SubmitStore
import Testing

@testable import SubmitReceiving
@testable import SubmitServe

@Suite struct `LocalSend's desk` {
    private let desk = LocalSendDesk(pin: "123456")

    @Test func `lets in whoever has the PIN, and listens to three wrong ones`() throws {
        try desk.check("123456", from: "a")
        for given in [nil, "000000", "111111", "222222"] as [String?] {
            #expect(throws: WebRefusal.self) { try desk.check(given, from: "a") }
        }
        do throws(WebRefusal) {
            try desk.check("123456", from: "a")
            Issue.record("three were wrong")
        } catch {
            #expect(error.status.code == 429)
        }
        try desk.check("123456", from: "b")
    }

    @Test func `gives another sender no turn as long as a file comes, and then after its patience`() throws {
        let desk = LocalSendDesk(pin: nil, patience: .zero)
        let session = ReceivingSession(
            id: SessionID(rawValue: 1), invite: InviteID(rawValue: "abcdef"), device: "Phone", created: .now,
            expires: .now,
            isExpired: false, state: .open, words: [], batch: nil)
        let transfer = try desk.begin(["1": FileOffer(name: "a.jpg", length: 3)], session, from: "a")
        #expect(!desk.isBusy)
        _ = try desk.enter(transfer.id, "1", transfer.files["1"]?.token, from: "a")
        #expect(desk.isBusy)
        #expect(throws: WebRefusal.self) { try desk.begin([:], session, from: "b") }
        #expect(throws: WebRefusal.self) { try desk.enter(transfer.id, "1", transfer.files["1"]?.token, from: "b") }
        desk.leave(transfer.id)
        #expect(!desk.isBusy)
        _ = try desk.begin([:], session, from: "b")
    }

    @Test func `answers whoever asks who is there, but for itself and for noise`() throws {
        let own = LocalSendMessages.Device(alias: "submit", fingerprint: "AA", port: 53317)
        let beacon = LocalSendBeacon(device: own, address: "127.0.0.1")
        func isQuestion(_ text: String) -> Bool { beacon.isQuestion(ByteBuffer(string: text)) }
        // As LocalSend's app writes it.
        #expect(
            isQuestion(
                #"{"alias":"Nice Orange","version":"2.1","deviceModel":"Pixel","deviceType":"mobile","fingerprint":"BB","#
                    + #""port":53317,"protocol":"https","download":false,"announce":true,"announcement":true}"#))
        #expect(!isQuestion(#"{"alias":"a","fingerprint":"BB","announce":false}"#))
        #expect(!isQuestion(#"{"alias":"a","fingerprint":"AA","announce":true}"#))
        for noise in ["", "{", "[]", #"{"announce":true}"#, String(repeating: " ", count: 5000) + "{}"] {
            #expect(!isQuestion(noise))
        }
        let said = LocalSendMessages.Announcement(device: own, announce: true)
        let read = try JSONDecoder().decode(
            LocalSendMessages.Announcement.self, from: Data(JSONAnswer.bytes(said)))
        #expect(read.announce && read.device.alias == "submit" && read.device.port == 53317)
    }

    @Test func `reads times as they are sent`() {
        #expect(LocalSendMessages.milliseconds("2026-01-02T03:04:05Z") != nil)
        #expect(LocalSendMessages.milliseconds("2026-01-02T03:04:05.123Z") != nil)
        #expect(LocalSendMessages.milliseconds("yesterday") == nil)
    }
}
