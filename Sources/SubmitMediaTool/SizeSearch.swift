internal import CVips
internal import SubmitPixels

/// Looks for the best of a picture that has no more than so many bytes.
struct SizeSearch {
    let most: Int64
    let format: PixelFormat
    /// No better than that.
    let quality: Int

    private static let mostSizes = 10
    /// AVIF is made many times.
    private static let effort = 2

    /// The best of a few tries: first with less quality, then with fewer pixels.
    func best(of whole: Picture) throws(PixelFault) -> EncodedPicture {
        // A picture that is smaller than that stays as it is.
        let least = min(1, Double(PixelRecipe.shortestSide) / Double(max(whole.width, whole.height)))
        var factor = 1.0
        for turn in 1...Self.mostSizes {
            var picture = whole
            if factor < 1 {
                picture = try Picture(submit_picture_shrink(whole.pointer, factor))
                picture = try Picture(submit_picture_decode(picture.pointer))
            }
            let encoded = try best(ofThisSize: picture)
            if encoded.result.size <= most { return encoded }
            guard factor > least else { break }
            // Bytes go about as pixels do; a little less makes up for what does not.
            let share = (Double(most) / Double(encoded.result.size)).squareRoot() * 0.97
            factor = turn + 1 < Self.mostSizes ? max(least, factor * max(0.5, min(0.9, share))) : least
        }
        throw PixelFault(kind: .unfit, why: "it does not become smaller than \(most) bytes without becoming bad")
    }

    /// The highest of a few qualities with which it has no more than so many bytes; else what the lowest one makes.
    private func best(ofThisSize picture: Picture) throws(PixelFault) -> EncodedPicture {
        var best = try encoded(picture, quality)
        guard best.result.size > most, format != .png, quality > PixelRecipe.lowestQuality else { return best }
        best = try encoded(picture, PixelRecipe.lowestQuality)
        guard best.result.size <= most else { return best }
        var (good, bad) = (PixelRecipe.lowestQuality, quality)
        while bad - good > 4 {
            let next = try encoded(picture, (good + bad) / 2)
            if next.result.size <= most {
                (best, good) = (next, next.result.quality)
            } else {
                bad = next.result.quality
            }
        }
        return best
    }

    private func encoded(_ picture: Picture, _ quality: Int) throws(PixelFault) -> EncodedPicture {
        let isLarge = picture.width * picture.height > 12_000_000
        return try EncodedPicture(picture, format, quality, effort: isLarge ? nil : Self.effort)
    }
}
