import Testing

@testable import SubmitRecipes

@Suite struct PointerTests {
    @Test func `A JSON pointer is taken apart as RFC 6901 says`() {
        #expect(JSONPointer("")?.tokens == [])
        #expect(JSONPointer("/a~1b/m~0n//0")?.tokens == ["a/b", "m~n", "", "0"])
        #expect(JSONPointer("a") == nil)
        #expect(JSONPointer("/a~2") == nil)
        #expect(JSONPointer("/a~") == nil)
    }

    @Test func `An XML path is local names and perhaps an attribute`() {
        #expect(XMLPath("rsp/err@code")?.elements == ["rsp", "err"])
        #expect(XMLPath("rsp/err@code")?.attribute == "code")
        #expect(XMLPath("rsp/photoid")?.attribute == nil)
        for text in ["", "/rsp", "rsp/", "a@b@c", "a@", "h:a", "a b"] { #expect(XMLPath(text) == nil, "\(text)") }
    }
}
