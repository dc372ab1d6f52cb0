import SubmitLoopBack
import Testing

/// The examples of RFC 3986, section 5.4, and what pictures of services are called.
@Suite struct PicturePathTests {
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // Section 5.4.2.
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        // What shops have.
        ("img/a b.jpg", "http://a/b/c/img/a%20b.jpg"), ("/ü.jpg", "http://a/%C3%BC.jpg"),
        ("https://cdn.example/x.jpg", "https://cdn.example/x.jpg"),
        // Section 5.4: other schemes are what they are, and no pictures of a service.
        ("g:h", nil), ("http:g", nil), ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("data:,x", nil),
    ])
    func `a path is joined to its base as the standard says`(path: String, url: String?) {
        #expect(PicturePath.url(path, relativeTo: "http://a/b/c/d;p?q") == url)
    }
}
