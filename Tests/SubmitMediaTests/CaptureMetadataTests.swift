import Glibc
import Submit
import Testing

@testable import SubmitMedia

@Suite struct CaptureMetadataTests {
    private static let jpeg = MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg")
    private static let mp4 = MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4")
    private static let mkv = MediaType(kind: .video, mime: "video/x-matroska", filenameExtension: "mkv")
    private static let avi = MediaType(kind: .video, mime: "video/x-msvideo", filenameExtension: "avi")

    /// 2023-02-03T04:05:06Z, which is 3 758 241 906 seconds after 1904 began, by the clock of this machine's zone.
    private static let here: String? = {
        var (seconds, parts) = (time_t(1_675_397_106), tm())
        localtime_r(&seconds, &parts)
        return CaptureTime(
            year: 2023, month: 2, day: Int(parts.tm_mday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
            second: 6, offset: parts.tm_gmtoff)?.description
    }()

    /// Asks about a file with this content, which has no name any more.
    private func captureTime(_ content: [UInt8], _ type: MediaType) throws -> String? {
        var name = Array("/tmp/submit-capture-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        defer { close(descriptor) }
        unlink(name)
        try #require(write(descriptor, content, content.count) == content.count)
        return CaptureMetadata.captureTime(of: descriptor, type: type)?.description
    }

    @Test func `EXIF tells the camera's clock and its offset`() throws {
        let plain = Example.jpeg(exif: [(0x9003, "2024:05:17 18:42:07")])
        #expect(try captureTime(plain, Self.jpeg) == "2024-05-17T18:42:07")
        let offset = Example.jpeg(exif: [(0x9003, "2024:05:17 18:42:07"), (0x9011, "-03:30")])
        #expect(try captureTime(offset, Self.jpeg) == "2024-05-17T18:42:07-03:30")
        let digitized = Example.jpeg(exif: [(0x9004, "2023:01:02 03:04:05")])
        #expect(try captureTime(digitized, Self.jpeg) == "2023-01-02T03:04:05")
    }

    @Test func `XMP tells the date where EXIF does not`() throws {
        let photo = Example.jpeg(xmpDate: "2019-02-03T04:05:06+02:00")
        #expect(try captureTime(photo, Self.jpeg) == "2019-02-03T04:05:06+02:00")
    }

    @Test(arguments: ["0000:00:00 00:00:00", "    :  :     :  :  ", "2024:13:01 00:00:00", "1700:01:01 00:00:00"])
    func `a date that is none is not told`(date: String) throws {
        #expect(try captureTime(Example.jpeg(exif: [(0x9003, date)]), Self.jpeg) == nil)
    }

    @Test func `what has no date tells none`() throws {
        #expect(try captureTime(Example.jpeg(), Self.jpeg) == nil)
        #expect(try captureTime([], Self.jpeg) == nil)
        #expect(try captureTime(Array("no picture".utf8), Self.jpeg) == nil)
        #expect(try captureTime(Array("no video".utf8), Self.mp4) == nil)
        #expect(try captureTime([], Self.mp4) == nil)
        #expect(try captureTime(Example.jpeg(exif: [(0x9003, "2024:05:17 18:42:07")]), .other) == nil)
    }

    @Test func `videos tell the date in their container`() throws {
        #expect(try captureTime(Example.mp4(created: 3_758_241_906), Self.mp4) == Self.here)
        #expect(try captureTime(Example.mp4(created: 0), Self.mp4) == nil)
        // The first second of 1970, from a camera whose clock was never set.
        #expect(try captureTime(Example.mp4(created: 2_082_844_800), Self.mp4) == nil)
        let matroska = Example.matroska(nanosecondsSince2001: 697_089_906_000_000_000)
        #expect(try captureTime(matroska, Self.mkv) == Self.here)
        let avi = Example.avi(date: "Sun Aug 31 12:15:22 2003\n\0")
        #expect(try captureTime(avi, Self.avi) == "2003-08-31T12:15:22")
    }

    @Test(arguments: Example.MetadataPlace.allCases)
    func `a telephone's own clock counts before the container's`(place: Example.MetadataPlace) throws {
        let video = Example.mp4(created: 3_758_241_906, appleDate: "2023-05-06T07:08:09+0200", in: place)
        #expect(try captureTime(video, Self.mp4) == "2023-05-06T07:08:09+02:00")
        let wrong = Example.mp4(created: 3_758_241_906, appleDate: "yesterday", in: place)
        #expect(try captureTime(wrong, Self.mp4) == Self.here)
    }

    /// 2012-05-29T06:55:06Z.
    @Test func `a movie header that counts from 1970 gives the film's date and none before film existed`() throws {
        #expect(
            try captureTime(Example.mp4(created: 1_338_274_506), Self.mp4)
                == CaptureTime(secondsSince1970: 1_338_274_506)?.description)
        for created in [1, 86_400, 691_631_999] {
            #expect(try captureTime(Example.mp4(created: created), Self.mp4) == nil)
        }
        let old = Example.mp4(created: 0, appleDate: "1870-05-06T07:08:09Z")
        #expect(try captureTime(old, Self.mp4) == nil)
        #expect(try captureTime(Example.matroska(nanosecondsSince2001: -2_000_000_000_000_000_000), Self.mkv) == nil)
    }

    @Test(arguments: [188, 192])
    func `an AVCHD film is dated by its camera's clock in every time zone`(packet: Int) throws {
        let film = MediaType(kind: .video, mime: "video/mp2t", filenameExtension: "mts")
        func time(_ clock: String, zone: UInt8 = 0) throws -> String? {
            try captureTime(Example.transport(clock: clock, zone: zone, packet: packet), film)
        }
        #expect(try time("20240517233000") == "2024-05-17T23:30:00")
        #expect(try time("20240517000000") == "2024-05-17T00:00:00")
        #expect(try time("20240517233000", zone: 0x02) == "2024-05-17T23:30:00+01:00")
        #expect(try time("20240517233000", zone: 0x27) == "2024-05-17T23:30:00-03:30")
        // Summer time, which some cameras include in the zone.
        #expect(try time("20240517233000", zone: 0x44) == "2024-05-17T23:30:00")
        #expect(try time("20241317233000") == nil)
        #expect(try time("ffffffffffffff") == nil)
    }

    @Test(arguments: [188, 192])
    func `a film with one packet among empty ones is dated by its camera's clock`(packet: Int) throws {
        let film = Example.transport(clock: "20240517233000", packet: packet, isCut: false)
        let found = MediaTypeDetector.type(of: film.span, fileExtension: "mts")
        let type = try #require(found)
        #expect(type.mime == "video/mp2t")
        #expect(try captureTime(film, type) == "2024-05-17T23:30:00")
    }

    @Test func `a WMV film is dated by its file properties, wherever they are in its header`() throws {
        let film = MediaType(kind: .video, mime: "video/x-ms-wmv", filenameExtension: "wmv")
        for size in [0, 10_000] {
            let made = Example.windowsMedia(created: 1_675_397_106, behind: size)
            #expect(try captureTime(made, film) == Self.here)
        }
        // The date of a recording that was not finished is not valid, and nobody wrote the format in 1980.
        #expect(try captureTime(Example.windowsMedia(created: 1_675_397_106, flags: 1), film) == nil)
        #expect(try captureTime(Example.windowsMedia(created: 320_000_000), film) == nil)
    }

    @Test func `a Sigma photo without EXIF is dated by its camera's clock in every time zone`() throws {
        let photo = MediaType(kind: .photo, mime: "image/x-sigma-x3f", filenameExtension: "x3f")
        #expect(try captureTime(Example.sigma(time: "1675397106"), photo) == "2023-02-03T04:05:06")
        for time in ["", "0", "-5", "yesterday", "99999999999999"] {
            #expect(try captureTime(Example.sigma(time: time), photo) == nil, "\(time)")
        }
    }

    @Test func `a bitmap that holds a JPEG is dated by that JPEG`() throws {
        let jpeg = Example.jpeg(exif: [(0x9003, "2024:05:17 18:42:07")])
        let header: [UInt8] =
            Array("BM".utf8) + [
                0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0,
            ]
        let bitmap = header + [UInt8](repeating: 0, count: 54 - header.count) + jpeg
        let found = MediaTypeDetector.type(of: bitmap.span, fileExtension: "bmp")
        let type = try #require(found)
        #expect(type.mime == "image/bmp")
        #expect(try captureTime(bitmap, type) == "2024-05-17T18:42:07")
    }

    @Test func `a film's user data and XMP count before its movie header`() throws {
        func film(_ userData: [UInt8] = [], after: [UInt8] = []) throws -> String? {
            try captureTime(Example.mp4(created: 3_758_241_906, userData: userData, after: after), Self.mp4)
        }
        #expect(
            try film(Example.box("date", Array("2020-11-20T15:04:02+0100".utf8))) == "2020-11-20T15:04:02+01:00")
        let day = Example.box(
            [0xa9] + Array("day".utf8), Example.big(24, 2) + [0x15, 0xc7] + Array("2013-02-03T10:15:00-0500".utf8))
        #expect(try film(day) == "2013-02-03T10:15:00-05:00")
        let packet = Array(Example.xmp("2019-02-15T16:13:20-05:00").utf8)
        let uuid: [UInt8] = [
            0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
        ]
        #expect(try film(after: Example.box("uuid", uuid + packet)) == "2019-02-15T16:13:20-05:00")
        #expect(try film(Example.box("XMP_", packet)) == "2019-02-15T16:13:20-05:00")
        #expect(try film(Example.box("date", Array("2020".utf8))) == Self.here)
    }

    @Test func `IPTC tells the date where EXIF has no original one`() throws {
        let iptc: [(UInt8, String)] = [(55, "20181211"), (60, "100051+0100")]
        #expect(try captureTime(Example.jpeg(iptc: iptc), Self.jpeg) == "2018-12-11T10:00:51+01:00")
        #expect(
            try captureTime(Example.jpeg(iptc: iptc, exif: [(0x9004, "2020:01:02 03:04:05")]), Self.jpeg)
                == "2018-12-11T10:00:51+01:00")
        #expect(
            try captureTime(Example.jpeg(iptc: iptc, exif: [(0x9003, "2020:01:02 03:04:05")]), Self.jpeg)
                == "2020-01-02T03:04:05")
        let digitized: [(UInt8, String)] = [(62, "20181211"), (63, "100051")]
        #expect(try captureTime(Example.jpeg(iptc: digitized), Self.jpeg) == "2018-12-11T10:00:51")
        #expect(try captureTime(Example.jpeg(iptc: [(55, "2018 or 19")]), Self.jpeg) == nil)
    }

    @Test(arguments: [[], [(60, "000000")]] as [[(UInt8, String)]])
    func `a day without a time counts before the time of scanning, unless that is on the same day`(
        time: [(UInt8, String)]
    ) throws {
        let iptc = [(55, "20181211")] + time
        #expect(
            try captureTime(Example.jpeg(iptc: iptc, exif: [(0x9004, "2020:01:02 03:04:05")]), Self.jpeg)
                == "2018-12-11T00:00:00")
        #expect(
            try captureTime(Example.jpeg(iptc: iptc, exif: [(0x9004, "2018:12:11 03:04:05")]), Self.jpeg)
                == "2018-12-11T03:04:05")
    }

    @Test(arguments: [
        ("2008-04-30T17:23:58+02:00", "2008-04-30T17:23:58+02:00"), ("2004:08:09 21:17:36", "2004-08-09T21:17:36"),
        ("Mon, 21 Jun 2004 10:11:12 +0200", "2004-06-21T10:11:12+02:00"),
        ("Wed 5 Apr 2006 13:33:39 -0000", "2006-04-05T13:33:39"), ("yesterday", nil),
    ])
    func `a PNG tells the time at which its picture was made`(text: String, time: String?) throws {
        let png = MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
        #expect(try captureTime(Example.png([("Title", "x"), ("Creation Time", text)]), png) == time)
    }

    @Test func `a sequence of pictures is dated by its movie header`() throws {
        let avif = MediaType(kind: .photo, mime: "image/avif", filenameExtension: "avif")
        #expect(try captureTime(Example.mp4(created: 3_758_241_906), avif) == Self.here)
    }

    @Test func `boxes and elements that claim any size end the search`() throws {
        for size: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 7], [0xff, 0xff, 0xff, 0xff], [0x7f, 0, 0, 0]] {
            for length: UInt8 in [0, 1, 0x7f, 0xff] {
                let long = [UInt8](repeating: length, count: 8)
                let box = size + Array("free".utf8) + long + size + Array("moov".utf8) + long
                #expect(try captureTime(box + box, Self.mp4) == nil)
                #expect(
                    try captureTime([0x1a, 0x45, 0xdf, 0xa3, 0x01] + long + [0x18, 0x53, 0x80, 0x67] + long, Self.mkv)
                        == nil)
                #expect(
                    try captureTime(Array("RIFF\0\0\0\0AVI LIST".utf8) + size + Array("hdrlIDIT".utf8) + size, Self.avi)
                        == nil)
            }
        }
    }

    @Test func `broken files are survived`() throws {
        let examples = [
            (Example.jpeg(exif: [(0x9003, "2024:05:17 18:42:07")]), Self.jpeg),
            (Example.jpeg(xmpDate: "2019-02-03T04:05:06Z"), Self.jpeg),
            (Example.mp4(created: 1, appleDate: "2023-05-06T07:08:09Z"), Self.mp4),
            (Example.matroska(nanosecondsSince2001: 1), Self.mkv), (Example.avi(date: "Sun Aug 31"), Self.avi),
        ]
        for (content, type) in examples {
            for length in stride(from: 0, to: content.count, by: 7) {
                _ = try captureTime(Array(content.prefix(length)), type)
            }
            for _ in 0..<100 {
                var broken = content
                for _ in 0..<3 { broken[Int.random(in: broken.indices)] = UInt8.random(in: 0...255) }
                _ = try captureTime(broken, type)
            }
        }
    }

    @Test func `many threads may ask at once`() async throws {
        let photo = Example.jpeg(xmpDate: "2019-02-03T04:05:06Z")
        let video = Example.mp4(created: 3_758_241_906)
        try await withThrowingTaskGroup(of: (String?, String).self) { group in
            for number in 0..<40 {
                group.addTask {
                    number % 2 == 0
                        ? (try captureTime(photo, Self.jpeg), "2019-02-03T04:05:06Z")
                        : (try captureTime(video, Self.mp4), Self.here ?? "")
                }
            }
            for try await (told, expected) in group { #expect(told == expected) }
        }
    }
}

@Suite struct CaptureTextTests {
    @Test(arguments: [
        ("2024:05:17 18:42:07", "2024-05-17T18:42:07"),
        ("2024-05-17T18:42:07.123+0200", "2024-05-17T18:42:07+02:00"),
        ("2024-05-17T18:42+02", "2024-05-17T18:42:00+02:00"),
        ("2024-05-17T18:42:07Z", "2024-05-17T18:42:07Z"),
        ("2024:05:17 18:42:07 nonsense", "2024-05-17T18:42:07"),
        ("2024:05:17 18:42:07+99:00", "2024-05-17T18:42:07"),
    ])
    func `every way of writing a date is read`(text: String, time: String) {
        #expect(CaptureText.time(text)?.description == time)
    }

    @Test(arguments: [
        "", "2024", "2024-05-17", "2024:02:30 00:00:00", "2024:05:17 24:00:00", "1825:12:31 23:59:59",
        "2101:01:01 00:00:00", "20240517T184207", "2024:05:17 18:42:", "٢٠٢٤:05:17 18:42:07",
    ])
    func `anything else is no date`(text: String) {
        #expect(CaptureText.time(text) == nil)
    }

    @Test func `an offset of its own counts where the date has none`() {
        #expect(CaptureText.time("2024:05:17 18:42:07", offset: "-03:30")?.offset == -12600)
        #expect(CaptureText.time("2024:05:17 18:42:07Z", offset: "-03:30")?.offset == 0)
        #expect(CaptureText.time("2024:05:17 18:42:07", offset: "   :  ")?.offset == nil)
    }
}
