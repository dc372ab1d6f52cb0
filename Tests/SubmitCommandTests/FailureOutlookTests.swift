import Submit
import Testing

@testable import SubmitCommand

@Suite struct `What is advised after failures` {
    private func sentences(_ codes: [String?]) -> [String] {
        var outlook = FailureOutlook()
        for code in codes { outlook.add(code) }
        return outlook.sentences
    }

    @Test func `is to retry if that may help`() {
        #expect(sentences(["server-error", nil]) == ["`submit retry` tries the failed ones again."])
    }

    @Test(arguments: ["kind", "type", "too-large", "no-rendition", "source-changed", "unsupported"])
    func `is not to retry what fails in the same way again`(_ code: String) {
        let alone = sentences([code])
        #expect(alone == ["Retrying alone doesn't help: `submit list --state failed` shows what does."])
        #expect(sentences([code, code, "broken"]).last?.contains("help 2 of them") == true)
    }

    @Test func `is not to retry what may have arrived`() {
        #expect(sentences([SubmitFailure.outcomeUnknownCode]).isEmpty)
    }
}
