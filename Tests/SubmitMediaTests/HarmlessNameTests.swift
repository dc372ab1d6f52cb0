import Submit
import Testing

@testable import SubmitMedia

/// Names under which files of strangers are stored, and photos that anybody sees.
@Suite struct HarmlessNameTests {
    private static let jpeg = MediaType.photo("image/jpeg", "jpg")

    @Test(arguments: [
        ("scan.php", "scan_php.jpg"), ("scan.PHP5", "scan_PHP5.jpg"), ("scan.phtml", "scan_phtml.jpg"),
        ("scan.php.jpg", "scan_php.jpg"), ("scan.jpg.php", "scan.jpg_php.jpg"), ("scan.phar.HEIC", "scan_phar.HEIC"),
        (".htaccess", "_htaccess.jpg"), ("htaccess", "htaccess.jpg"), ("web.config", "web_config.jpg"),
        ("a.svg", "a_svg.jpg"), ("a.html", "a_html.jpg"), ("a.shtml.jpg", "a_shtml.jpg"),
        ("a.aspx;.jpg", "a_aspx;.jpg"),
        ("a.php.", "a_php..jpg"), ("a.php ", "a_php .jpg"), ("a.php::$DATA", "a_php::$DATA.jpg"),
        ("a.ph\u{200d}p", "a_ph\u{200d}p.jpg"), ("a.php%00.jpg", "a_php%00.jpg"), ("a.unknown", "a.unknown.jpg"),
        ("a", "a.jpg"), ("2024.08.01 party", "2024.08.01 party.jpg"), ("", ".jpg"),
    ])
    func `a photo's stored name ends as a picture and is no program's`(name: String, harmless: String) {
        #expect(HarmlessName(name, Self.jpeg).text == harmless)
        #expect(HarmlessName(harmless, Self.jpeg).text == harmless)
    }

    @Test(arguments: [
        "IMG_0001.JPG", "IMG_0001.HEIC", "PXL_20240801_120000.MP.jpg", "PXL_20240801.RAW-02.ORIGINAL.dng", "a.b.c.jpeg",
        "MVI_0001.THM", "photo.insp", "2024-08-01 12.30.15.jpg", "mr. photo.jpg", "カメラ.jpg",
    ])
    func `a photo's own name stays as it is`(name: String) {
        #expect(HarmlessName(name, Self.jpeg).text == name)
    }

    @Test(arguments: [
        ("notes.txt", "notes.txt"), ("notes", "notes"), ("shell.php", "shell_php"), ("page.html", "page_html"),
        ("a.php.pdf", "a_php.pdf"), ("IMG_1.xmp", "IMG_1.xmp"), ("user.ini", "user_ini"),
    ])
    func `a file of no known type loses an ending that a server runs or a browser obeys`(name: String, harmless: String)
    {
        #expect(HarmlessName(name, nil).text == harmless)
        #expect(HarmlessName(name, .other).text == harmless)
    }

    @Test func `a long name keeps 255 bytes and its ending`() {
        let text = HarmlessName(String(repeating: "é", count: 126) + ".php", Self.jpeg).text
        #expect(text.utf8.count <= 255 && text.hasSuffix(".jpg") && !text.contains(".php"))
    }
}
