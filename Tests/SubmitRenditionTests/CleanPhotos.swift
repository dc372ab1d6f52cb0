import Foundation
import Submit
import SubmitRendition
import TestServers

/// A photo to be scanned.
struct ScanPhoto: Sendable, CustomStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// What it may tell.
    var allowing: Set<KeptFact> = []

    var description: String { name }

    var type: MediaType {
        let mimes = ["jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"]
        let end = String(name.split(separator: ".").last ?? "")
        return MediaType(kind: .photo, mime: mimes[end] ?? "application/octet-stream", filenameExtension: end)
    }

    func traces(allowing: Set<KeptFact>? = nil) throws -> [Trace] {
        try MetadataScan.traces(in: MemoryBytes(bytes), type: type, allowing: allowing ?? self.allowing)
    }

    func with(_ bytes: [UInt8]) -> ScanPhoto { ScanPhoto(name: name, bytes: bytes, allowing: allowing) }
}

/// Photos that tell nothing, made by programs that are not ours.
enum CleanPhotos {
    static func all() async throws -> [ScanPhoto] { try await making.value }

    /// Those of a format.
    static func all(_ end: String) async throws -> [ScanPhoto] {
        try await all().filter { $0.name.hasSuffix(".\(end)") }
    }

    /// The first of that name.
    static func named(_ name: String) async throws -> ScanPhoto {
        guard let photo = try await all().first(where: { $0.name == name }) else { throw CocoaError(.fileNoSuchFile) }
        return photo
    }

    private static let making = Task { () throws -> [ScanPhoto] in
        let folder = TemporaryFolder()
        try folder.write(script, to: "make.py")
        try await ChildProcess.output(of: ["/usr/bin/python3", "make.py"], folder: folder.path, within: 120)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("clean")).sorted()
        return try names.map { name in
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("clean/\(name)")))
            // Their names say what they may tell: “tags-date+camera.jpg”.
            let facts = name.hasPrefix("tags-") ? name.dropFirst(5).prefix { $0 != "." }.split(separator: "+") : []
            return ScanPhoto(
                name: name, bytes: [UInt8](data), allowing: Set(facts.compactMap { KeptFact(rawValue: String($0)) }))
        }
    }

    private static let script = """
        import os, subprocess, random, shutil
        from PIL import Image, ImageCms, PngImagePlugin
        os.mkdir('clean')
        def out(name): return 'clean/' + name
        random.seed(7)
        w, h = 48, 34
        im = Image.new('RGB', (w, h))
        def pixel(x, y): return ((x * 5 + random.randrange(20)) % 256, (y * 7) % 256, (x * y) % 256)
        im.putdata([pixel(x, y) for y in range(h) for x in range(w)])
        flat = Image.new('RGB', (64, 64), (120, 90, 60))
        rgba = im.copy(); rgba.putalpha(Image.linear_gradient('L').resize((w, h)))
        icc = ImageCms.ImageCmsProfile(ImageCms.createProfile('sRGB')).tobytes()
        im.save('in.ppm')
        # JPEG
        im.save(out('pil.jpg'), quality=90)
        flat.save(out('pil-flat.jpg'))
        im.save(out('pil-progressive.jpg'), progressive=True)
        im.save(out('pil-444.jpg'), subsampling=0, quality=100)
        im.convert('L').save(out('pil-gray.jpg'))
        im.convert('CMYK').save(out('pil-cmyk.jpg'))
        im.save(out('pil-icc.jpg'), icc_profile=icc)
        im.save(out('pil-dpi.jpg'), dpi=(300, 300))
        def run(args, stdout=None):
            subprocess.run(args, check=True, stdout=open(stdout, 'wb') if stdout else subprocess.DEVNULL)
        for name, args in [('baseline', ['-baseline']), ('progressive', ['-progressive']), ('arithmetic', ['-arithmetic']),
                           ('restart', ['-restart', '1']), ('restarts', ['-restart', '1B', '-progressive']),
                           ('gray', ['-grayscale']), ('optimized', ['-optimize', '-quality', '30']), ('rgb', ['-rgb'])]:
            run(['cjpeg'] + args + ['in.ppm'], out('cjpeg-' + name + '.jpg'))
        leaky = Image.Exif(); leaky[0x010e] = 'at home'
        im.save('leaky.jpg', exif=leaky, icc_profile=icc, comment=b'home')
        exiftool = ['exiftool', '-q', '-overwrite_original']
        run(exiftool + ['-GPSLatitude=35.1', '-GPSLatitudeRef=N', '-XMP-dc:Title=home', 'leaky.jpg'])
        run(['jpegtran', '-copy', 'none', 'leaky.jpg'], out('jpegtran-none.jpg'))
        run(['jpegtran', '-copy', 'icc', 'leaky.jpg'], out('jpegtran-icc.jpg'))
        run(['jpegtran', '-copy', 'none', '-progressive', '-rotate', '90', 'leaky.jpg'], out('jpegtran-rotated.jpg'))
        # PNG
        im.save(out('pil.png'))
        rgba.save(out('pil-alpha.png'))
        im.convert('P').save(out('pil-palette.png'))
        im.convert('L').save(out('pil-gray.png'))
        im.convert('1').save(out('pil-bits.png'))
        im.convert('I').point(lambda v: v * 200).save(out('pil-deep.png'))
        im.save(out('pil-stored.png'), compress_level=0)
        flat.save(out('pil-flat.png'), optimize=True)
        im.save(out('pil-icc.png'), icc_profile=icc)
        im.save(out('pil-dpi.png'), dpi=(300, 300))
        im.convert('P').save(out('pil-transparent.png'), transparency=3)
        im.save(out('pil-animated.png'), save_all=True, append_images=[im.rotate(10), im.rotate(20)], duration=100)
        import struct, zlib
        def number(value): return struct.pack('>I', value)
        def chunk(type, data): return number(len(data)) + type + data + number(zlib.crc32(type + data))
        for width, height in [(48, 34), (5, 3), (1, 1), (2, 9)]:
            lines = b''
            for x0, y0, dx, dy in [(0,0,8,8),(4,0,8,8),(0,4,4,8),(2,0,4,4),(0,2,2,4),(1,0,2,2),(0,1,1,2)]:
                for y in range(y0, height, dy):
                    row = b''.join(bytes(im.getpixel((x, y))) for x in range(x0, width, dx))
                    if row: lines += b'\\0' + row
            with open(out('interlaced-%d.png' % width), 'wb') as f:
                f.write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 1))
                        + chunk(b'IDAT', zlib.compress(lines)) + chunk(b'IEND', b''))
            Image.open(out('interlaced-%d.png' % width)).load()
        # WebP
        im.save(out('pil.webp'))
        im.save(out('pil-lossless.webp'), lossless=True)
        rgba.save(out('pil-alpha.webp'))
        rgba.save(out('pil-alpha-lossless.webp'), lossless=True)
        im.save(out('pil-icc.webp'), icc_profile=icc)
        frames = [rgba.rotate(10), rgba.rotate(20)]
        rgba.save(out('pil-animated.webp'), save_all=True, append_images=frames, duration=100)
        im.save(out('pil-animated-icc.webp'), save_all=True, append_images=frames, lossless=True, icc_profile=icc)
        run(['cwebp', '-quiet', 'in.ppm', '-o', out('cwebp.webp')])
        run(['cwebp', '-quiet', '-lossless', 'in.ppm', '-o', out('cwebp-lossless.webp')])
        im.save('in.gif', save_all=True, append_images=[f.convert('RGB') for f in frames], duration=100)
        run(['gif2webp', '-quiet', 'in.gif', '-o', out('gif2webp.webp')])
        # What may be there, written by others
        date = ['-EXIF:DateTimeOriginal=2024:05:06 07:08:09', '-EXIF:CreateDate=2024:05:06 07:08:09',
                '-EXIF:OffsetTimeOriginal=+09:00', '-EXIF:SubSecTimeOriginal=12', '-EXIF:ModifyDate=2024:05:06 07:08:09']
        camera = ['-EXIF:Make=Canon', '-EXIF:Model=EOS R5', '-EXIF:LensModel=RF 50mm F1.2 L USM', '-EXIF:LensMake=Canon']
        exposure = ['-EXIF:ExposureTime=1/250', '-EXIF:FNumber=2.8', '-EXIF:ISO=400', '-EXIF:FocalLength=50',
                    '-EXIF:ExposureProgram=2', '-EXIF:ExposureCompensation=-0.3', '-EXIF:MeteringMode=5', '-EXIF:Flash=16',
                    '-EXIF:WhiteBalance=0', '-EXIF:ExposureMode=0', '-EXIF:FocalLengthIn35mmFormat=50']
        rights = ['-EXIF:Copyright=\\u00a9 2024 Zo\\u00eb K.', '-EXIF:Artist=Zo\\u00eb K.']
        for end in ['jpg', 'png', 'webp']:
            for name, args in [('', ['-Orientation#=6']), ('date', date), ('camera', camera), ('exposure', exposure),
                               ('copyright', rights), ('date+camera+exposure+copyright', date + camera + exposure + rights)]:
                for order in ['II', 'MM'] if name == 'date' else ['MM']:
                    to = out('tags-' + name + ('.' + order if name == 'date' else '') + '.' + end)
                    shutil.copy(out('pil-icc.' + end), to)
                    run(exiftool + ['-ExifByteOrder=' + order, '-n', '-charset', 'exif=utf8'] + args + [to])
        some = Image.Exif(); some[0x0112] = 6; some[0x010f] = 'Canon'; some[0x0110] = 'EOS R5'
        some[0x0132] = '2024:05:06 07:08:09'
        some.get_ifd(0x8769)[0x9003] = '2024:05:06 07:08:09'
        for end in ['jpg', 'png', 'webp']: im.save(out('tags-date+camera.pil.' + end), exif=some)

        """
}
