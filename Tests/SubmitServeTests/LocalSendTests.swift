import HTTPTypes
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

    @Test func `reads times as they are sent`() {
        #expect(LocalSendMessages.milliseconds("2026-01-02T03:04:05Z") != nil)
        #expect(LocalSendMessages.milliseconds("2026-01-02T03:04:05.123Z") != nil)
        #expect(LocalSendMessages.milliseconds("yesterday") == nil)
    }
}
