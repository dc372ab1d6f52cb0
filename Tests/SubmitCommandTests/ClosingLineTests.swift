import Foundation
import Submit
import SubmitJournal
import Testing

@testable import SubmitCommand

/// The last line of a run, and how texts are shown.
@Suite struct `The last line` {
    private let time = Timestamp(nanoseconds: 1_795_528_980_000_000_000)

    private func proof(
        _ destination: String, _ count: Int, _ state: SubmissionState = .done, _ evidence: Evidence? = .verified,
        kind: MediaKind = .photo, isSkipped: Bool = false
    ) -> ProofTally {
        ProofTally(
            destination: destination, state: state, kind: kind, evidence: state == .done ? evidence : nil,
            isSkipped: isSkipped, count: count, bytes: Int64(count) * 27_184_466)
    }

    private func text(_ proofs: [ProofTally], refused: Int = 0) -> String? {
        ClosingLine(proofs, refused: refused, at: time).text?.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d$/, with: "TIME")
    }

    @Test func `says what is proven where, and when`() {
        #expect(
            text([proof("nas", 412), proof("cloud", 412)]) == "412 photos, 11.2 GB, proven at cloud and nas on TIME")
        #expect(
            text([proof("nas", 2), proof("nas", 1, kind: .video)])
                == "2 photos and 1 video, 81.6 MB, proven at nas on TIME")
        #expect(text([]) == nil)
    }

    @Test func `calls nothing proven that is not, and tells what is missing`() {
        #expect(
            text([proof("nas", 3), proof("blog", 3, .done, .accepted)])
                == "3 photos, 81.6 MB, taken by blog without a proof; proven at nas on TIME")
        #expect(
            text([proof("nas", 3), proof("cloud", 1), proof("cloud", 1, .failed), proof("cloud", 1, .waiting)])
                == "3 photos, 81.6 MB, 1 of 3 proven at cloud, 1 failed, 1 waiting; proven at nas; as of TIME")
        #expect(
            text([proof("nas", 2), proof("nas", 1, .done, .unknown, isSkipped: true)])
                == "3 photos, 81.6 MB, 2 of 3 proven at nas, 1 skipped; as of TIME")
        #expect(
            text([proof("nas", 2), proof("dav", 1, .waiting)])
                == "2 photos, 54.4 MB, none of 1 at dav, 1 waiting; proven at nas; as of TIME",
            "one of them was meant for dav")
        #expect(text([proof("nas", 3)], refused: 2) == "3 photos, 81.6 MB, proven at nas; 2 refused; as of TIME")
    }

    @Test(arguments: [
        ("a\u{61c}b", "a\\u{61c}b"), ("a\u{200b}b", "a\\u{200b}b"), ("\u{202e}gpj.exe", "\\u{202e}gpj.exe"),
        ("a\u{e0041}", "a\\u{e0041}"), ("x\u{fe0f}", "x\\u{fe0f}"), ("a\u{2060}\u{feff}", "a\\u{2060}\\u{feff}"),
        ("a\u{200d}b", "a\\u{200d}b"), ("\u{3164}", "\\u{3164}"), ("l\n\r\t", "l\\n\\r\\t"),
        ("❤\u{fe0f} 👩\u{200d}👧", "❤\u{fe0f} 👩\u{200d}👧"), ("Zoë 港 é e\u{301}", "Zoë 港 é e\u{301}"),
    ])
    func `shows what cannot be seen written out`(_ text: String, _ shown: String) {
        #expect(Array(Printable.line(text).unicodeScalars) == Array(shown.unicodeScalars))
    }
}
