internal import CLinux
internal import CVips
internal import SubmitPixels
internal import SubmitPlatform

/// Makes, while files can be opened, what will be made when none can: plug-ins, tables and codecs that libraries load at their
/// first use are there then. A format that cannot be made or read here stays one that cannot.
enum Rehearsal {
    static func run() {
        guard let sample = try? Picture(submit_picture_sample(48)) else { return }
        for format in PixelFormat.allCases { try? run(format, sample) }
    }

    private static func run(_ format: PixelFormat, _ sample: Picture) throws(PixelFault) {
        // The least effort: what is loaded is the same.
        let encoded = try EncodedPicture(sample, format, format.usualQuality, effort: 0)
        let (photo, result) = (submit_make_memory_file(), submit_make_memory_file())
        defer {
            close(photo)
            close(result)
        }
        try encoded.write(to: photo)
        lseek(photo, 0, SEEK_SET)
        var recipe = PixelRecipe()
        recipe.box = PixelBox(width: 20, height: 20)
        recipe.format = .jpeg
        _ = try PixelWork(PixelJob(mime: format.mime, recipe: recipe)).run(from: photo, to: result)
    }
}
