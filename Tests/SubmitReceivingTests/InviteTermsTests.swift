import Foundation
import Submit
import Testing

@testable import SubmitReceiving

@Suite struct InviteTermsTests {
    @Test func `are the same when they were written down`() throws {
        let terms = InviteTerms(destinations: ["a"], files: 3, kinds: [.photo])
        #expect(try JSONDecoder().decode(InviteTerms.self, from: JSONEncoder().encode(terms)) == terms)
    }
}
