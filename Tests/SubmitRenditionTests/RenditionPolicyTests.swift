import Submit
import SubmitRendition
import Testing

@Suite struct RenditionPolicyTests {
    @Test(arguments: [
        ("original", "original"), ("strip=gps", "strip=gps"), ("STRIP=GPS", "strip=gps"), ("strip=all", "strip=all"),
        ("strip=all keep=date,camera", "strip=all keep=camera,date"),
        ("keep=copyright strip=gps", "strip=all keep=copyright"),
        ("box=2048x1365 strip=gps", "strip=gps box=2048x1365"), ("max_bytes=2MB", "max_bytes=2000000"),
        (
            "square=center format=jpg quality=80 enhance=auto video=skip",
            "square=centre format=jpeg quality=80 enhance=auto video=skip"
        ),
        ("strip=all keep=place", "strip=all keep=place"), ("write=tags,caption", "write=caption,tags"),
        ("video=poster strip=gps", "strip=gps video=poster"), ("strip=all keep=", "strip=all"),
        ("strip=all keep=date,camera,exposure,copyright", "strip=gps"),
    ])
    func `has one text for what is to be sent, however it was written`(text: String, canonical: String) throws {
        let policy = try RenditionPolicy(text)
        #expect(policy.description == canonical)
        #expect(try RenditionPolicy(canonical) == policy)
    }

    @Test(arguments: [
        ("", "A rendition is empty"), ("keep=date", "says what stays where “strip” takes the rest"),
        ("box=2048", "such as 2048x2048"), ("max_bytes=much", "such as 2MB"),
        ("video=postre", "nothing that can be sent"), ("write=captoin", "did you mean “caption”"),
        ("quality=200", "from 1 to 100"), ("format=bmp", "jpeg, webp, png, avif"),
        ("video=original", "changes nothing"), ("strip", "“strip” is no part"),
        ("srtip=gps", "did you mean “strip”"), ("strip=place", "“place” is nothing that can be stripped"),
        ("strip=all keep=copyrigth", "did you mean “copyright”"), ("original strip=gps", "the original keeps all"),
        ("strip=gps strip=all", "said twice"), ("original=yes", "no part of a rendition"),
    ])
    func `is never the original by mistake`(text: String, why: String) throws {
        let failure = #expect(throws: SubmitFailure.self) { try RenditionPolicy(text) }
        #expect(failure?.message.contains(why) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [
        ("IMG_35.6762_139.6503.jpg", ["the place"], ["the place"]),
        ("at 53°32'36\"N 9°57'59\"E", ["the place"], ["the place"]),
        ("20260801_1.jpg", [], ["the date"]), ("Harbour, 2026-08-01", [], ["the date"]), ("IMG_1234.jpg", [], []),
        ("v1.2345", [], []), ("99.1234 5.1234", [], []), ("20261301.jpg", [], []), ("f 2.8 1/250", [], []),
    ])
    func `is known to be told by a name or a caption`(text: String, gps: [String], all: [String]) {
        #expect(TellingText.facts(of: text, besides: .withoutPlace) == gps)
        #expect(TellingText.facts(of: text, besides: .withoutMetadata) == all)
        #expect(TellingText.facts(of: text, besides: .original) == [])
    }
}
