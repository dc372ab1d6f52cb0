import Submit
import SubmitPluginProtocol
import Testing

@Suite struct MalformedLineTests {
    /// Lines of a submitter, the kind of the request they speak of, and what is said of them.
    static let fromSubmitters: [(String, RequestKind, String)] = [
        ("", .check, "it is no JSON object; what people are to read goes to standard error"),
        ("[]", .check, "it is no JSON object; what people are to read goes to standard error"),
        ("hello", .check, "it is no JSON object; what people are to read goes to standard error"),
        ("\u{feff}{}", .check, "it is no JSON object; what people are to read goes to standard error"),
        ("{", .check, "it is no JSON"),
        ("{} {}", .check, "it is no JSON"),
        (#"{"message":"log","text":"a"#, .check, "it is no JSON"),
        (#"{"message":"log","text":"\ud800"}"#, .check, "it is no JSON"),
        ("{\"message\":\"log\",\"text\":\"a\u{0}\"}", .check, "it is not UTF-8"),
        (String(repeating: "{\"a\":", count: 100_000), .check, "it is nested too deeply"),
        ("{\"a\":" + String(repeating: "[", count: 16), .check, "it is nested too deeply"),
        ("{}", .check, "“message” is missing"),
        (#"{"message":null}"#, .check, "“message” is missing"),
        (#"{"message":7}"#, .check, "“message” has the wrong type"),
        (#"{"message":"done"}"#, .check, "“id” is missing"),
        (#"{"message":"done","id":"1"}"#, .check, "“id” has the wrong type"),
        (#"{"message":"done","id":true,"text":"x"}"#, .check, "“id” has the wrong type"),
        (#"{"message":"done","id":-1,"text":"x"}"#, .check, "“id” is out of range"),
        (#"{"message":"done","id":1.5,"text":"x"}"#, .check, "“id” is no whole number in range"),
        (#"{"message":"done","id":9223372036854775808,"text":"x"}"#, .check, "“id” is no whole number in range"),
        (#"{"message":"done","id":1e400,"text":"x"}"#, .check, "“id” is no whole number in range"),
        (#"{"message":"done","id":1}"#, .check, "“text” is missing"),
        (#"{"message":"done","id":1,"text":["x"]}"#, .check, "“text” has the wrong type"),
        (#"{"message":"done","id":1}"#, .submit, "“receipt” is missing"),
        (#"{"message":"done","id":1,"receipt":"x"}"#, .submit, "“receipt” has the wrong type"),
        (#"{"message":"done","id":1,"receipt":{"evidence":"size"}}"#, .submit, "“remoteID” is missing"),
        (
            #"{"message":"done","id":1,"receipt":{"remoteID":"s3cr3t","evidence":"s3cr3t"}}"#, .submit,
            "“evidence” is none of verified, echoed, size, accepted, unknown"
        ),
        (#"{"message":"done","id":1,"version":1}"#, .hello, "“summary” is missing"),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","silenceSeconds":0}"#, .hello,
            "“silenceSeconds” is out of range"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","silenceSeconds":86401}"#, .hello,
            "“silenceSeconds” is out of range"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","capabilities":{"width":0,"ordering":"concurrent"}}"#,
            .hello, "“width” is out of range"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","capabilities":{"captionLimit":-1}}"#, .hello,
            "“captionLimit” is out of range"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","capabilities":{"kinds":["s3cr3t"]}}"#, .hello,
            "“kinds” is none of photo, video, other"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","capabilities":{"maximumSize":{"photo":-1}}}"#, .hello,
            "“maximumSize” is out of range"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","capabilities":{"maximumSize":{"photo":"1"}}}"#,
            .hello, "“maximumSize” has the wrong type"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","settings":{"name":"x"}}"#, .hello,
            "“settings” has the wrong type"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","settings":[{"name":"x","summary":"y","kind":"z"}]}"#,
            .hello, "“kind” is none of text, integer, boolean, path, url, choice, secret"
        ),
        (
            #"{"message":"done","id":1,"version":1,"summary":"s","settings":[{"name":"x","summary":"y","kind":"choice"}]}"#,
            .hello, "“values” is missing"
        ),
        (#"{"message":"done","id":1,"longestLink":0}"#, .configure, "“longestLink” is out of range"),
        (#"{"message":"done","id":1,"presence":"present"}"#, .presence, "“evidence” is missing"),
        (#"{"message":"done","id":1,"presence":"maybe"}"#, .presence, "“presence” is none of present, absent, unknown"),
        (#"{"message":"done","id":1,"presence":"unknown"}"#, .presence, "“why” is missing"),
        (#"{"message":"done","id":1,"albums":"a"}"#, .albums, "“albums” has the wrong type"),
        (#"{"message":"done","id":1,"albums":["a",null]}"#, .albums, "“albums” is missing"),
        (#"{"message":"done","id":1}"#, .leftovers, "“leftovers” is missing"),
        (
            #"{"message":"done","id":1,"leftovers":[{"id":"x","name":"y","begun":"yesterday"}]}"#, .leftovers,
            "“begun” is no time"
        ),
        (
            #"{"message":"done","id":1,"leftovers":[{"id":"x","name":"y","bytes":-1}]}"#, .leftovers,
            "“bytes” is out of range"
        ),
        (#"{"message":"done","id":1,"url":"u","seconds":0}"#, .beginLogin, "“seconds” is out of range"),
        (#"{"message":"done","id":1,"pending":true}"#, .pollLogin, "“afterMilliseconds” is missing"),
        (#"{"message":"done","id":1,"secrets":{"t":7}}"#, .pollLogin, "“account” is missing"),
        (#"{"message":"done","id":1,"account":"a","secrets":{"t":7}}"#, .pollLogin, "“secrets” has the wrong type"),
        (#"{"message":"done","id":1,"impossible":true}"#, .logout, "“text” is missing"),
        (#"{"message":"failed","id":1,"sentence":"x"}"#, .check, "“remedy” is missing"),
        (
            #"{"message":"failed","id":1,"remedy":"pray","sentence":"x"}"#, .check,
            "“remedy” is none of retry, wait, renewCredentials, park, giveUp, sourceLost, cancelled, outcomeUnknown"
        ),
        (#"{"message":"failed","id":1,"remedy":"park","sentence":"x"}"#, .check, "“reason” is missing"),
        (#"{"message":"failed","id":1,"remedy":"giveUp"}"#, .check, "“sentence” is missing"),
        (
            #"{"message":"failed","id":1,"remedy":"retry","afterMilliseconds":-5,"sentence":"x"}"#, .check,
            "“afterMilliseconds” is out of range"
        ),
        (#"{"message":"progress","id":1,"sent":-1}"#, .submit, "“sent” is out of range"),
        (#"{"message":"progress","id":1,"landed":"all"}"#, .submit, "“landed” has the wrong type"),
        (#"{"message":"secret","name":"token"}"#, .check, "“question” is missing"),
        (#"{"message":"secret","question":1}"#, .check, "“name” is missing"),
        (#"{"message":"read","question":1,"id":1,"offset":0,"length":0}"#, .submit, "“length” is out of range"),
        (#"{"message":"read","question":1,"id":1,"offset":0,"length":262145}"#, .submit, "“length” is out of range"),
        (#"{"message":"read","question":1,"id":1,"offset":-1,"length":1}"#, .submit, "“offset” is out of range"),
        (
            #"{"message":"checkpoint","question":1,"id":1,"text":""# + String(repeating: "x", count: 49153) + "\"}",
            .submit, "“text” is too long"
        ),
        (#"{"message":"log"}"#, .check, "“text” is missing"),
        (#"{"message":"weather","question":"1"}"#, .check, "“question” has the wrong type"),
    ]

    @Test(arguments: fromSubmitters)
    func `a malformed line of a submitter is refused with what is wrong`(
        line: String, kind: RequestKind, complaint: String
    ) {
        #expect(throws: MalformedMessage(complaint)) {
            try SubmitterMessage(line: Array(line.utf8), requests: [1: kind])
        }
    }

    static let item = #""name":"a.jpg","size":5,"kind":"photo","mime":"image/jpeg","extension":"jpg""#
    static let digest = String(repeating: "0", count: 64)

    static let fromHosts: [(String, String)] = [
        (#"{"message":"hello","id":1,"versions":1,"host":"h"}"#, "“versions” has the wrong type"),
        (#"{"message":"hello","id":1,"versions":[1.5],"host":"h"}"#, "“versions” is no whole number in range"),
        (#"{"message":"check"}"#, "“id” is missing"),
        (#"{"message":"cancel"}"#, "“id” is missing"),
        (#"{"message":"answer"}"#, "“question” is missing"),
        (#"{"message":"answer","question":1,"bytes":"?"}"#, "“bytes” cannot be read"),
        (
            #"{"message":"answer","question":1,"bytes":""# + String(repeating: "AAAA", count: 87_382) + "\"}",
            "“bytes” cannot be read"
        ),
        (#"{"message":"denied","question":1}"#, "“remedy” is missing"),
        (#"{"message":"configure","id":1,"destination":"d","settings":{"a":1}}"#, "“settings” has the wrong type"),
        (#"{"message":"submit","id":1,"submission":"s","attempt":0}"#, "“attempt” is out of range"),
        (#"{"message":"submit","id":1,"submission":"s","attempt":1}"#, "“item” is missing"),
        (
            #"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{"name":"a/b"}}"#,
            "“name” is no file's name"
        ),
        (#"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{"name":".."}}"#, "“name” is no file's name"),
        (
            #"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{\#(item),"modified":"now"}}"#,
            "“modified” is no time"
        ),
        (
            #"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{\#(item),"modified":"2024-05-17T16:42:07Z"}}"#,
            "“digests” has no sha256"
        ),
        (
            #"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{\#(item),"modified":"2024-05-17T16:42:07Z","digests":{"sha256":"00"}}}"#,
            "“digests” has one that is no digest"
        ),
        (
            #"{"message":"submit","id":1,"submission":"s","attempt":1,"item":{\#(item),"modified":"2024-05-17T16:42:07Z","digests":{"sha256":"\#(digest)"}},"onConflict":"pray"}"#,
            "“onConflict” is none of rename, skip, overwrite, fail"
        ),
        (#"{"message":"removeLeftover","id":1,"leftover":{"id":7,"name":"x"}}"#, "“id” has the wrong type"),
    ]

    @Test(arguments: fromHosts)
    func `a malformed line of the host is refused with what is wrong`(line: String, complaint: String) {
        #expect(throws: MalformedMessage(complaint)) { try HostMessage(line: Array(line.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        let line = Array(#"{"message":"log","text":""#.utf8) + [0xc3, 0x28] + Array("\"}".utf8)
        #expect(throws: MalformedMessage("it is not UTF-8")) { try SubmitterMessage(line: line, requests: [:]) }
        let wide = #"{"message":"log","text":"x"}"#.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(throws: MalformedMessage("it is not UTF-8")) { try SubmitterMessage(line: wide, requests: [:]) }
    }

    @Test func `a line of a submitter that is too long is refused`() {
        let line = #"{"message":"log","text":""# + String(repeating: "x", count: 1 << 20) + "\"}"
        #expect(throws: MalformedMessage("it is too long")) {
            try SubmitterMessage(line: Array(line.utf8), requests: [:])
        }
    }
}
