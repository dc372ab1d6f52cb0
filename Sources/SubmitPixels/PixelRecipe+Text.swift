extension PixelRecipe: CustomStringConvertible {
    /// The same text for the same recipe, as ``set(_:to:)`` reads it word for word; empty for nothing.
    public var description: String {
        var words: [String] = []
        if let box { words.append("box=\(box)") }
        if isSquare { words.append("square=centre") }
        if let format { words.append("format=\(format.rawValue)") }
        if let quality { words.append("quality=\(quality)") }
        if let maximumSize { words.append("max_bytes=\(maximumSize)") }
        if let maximumPixels { words.append("max_pixels=\(maximumPixels)") }
        if isEnhanced { words.append("enhance=auto") }
        return words.joined(separator: " ")
    }

    /// The names of ``set(_:to:)``.
    public static let names = ["box", "enhance", "format", "max_bytes", "max_pixels", "quality", "square"]

    /// Sets one of its values by name.
    ///
    /// - Returns: what is taken there, for a sentence, where that is another value; `nil` where it was set.
    public mutating func set(_ name: String, to value: String) -> String? {
        switch name {
        case "box":
            box = PixelBox(value)
            return box == nil ? "a width and a height in pixels, such as 2048x2048" : nil
        case "square":
            isSquare = value == "centre" || value == "center"
            return isSquare ? nil : "centre"
        case "format":
            format = value == "jpg" ? .jpeg : PixelFormat(rawValue: value)
            return format == nil ? PixelFormat.allCases.map(\.rawValue).joined(separator: ", ") : nil
        case "quality":
            quality = Int(value).flatMap { (1...100).contains($0) ? $0 : nil }
            return quality == nil ? "a number from 1 to 100" : nil
        case "max_bytes":
            maximumSize = Int64(value).flatMap { $0 > 0 ? $0 : nil }
            return maximumSize == nil ? "a number of bytes, such as 2MB" : nil
        case "max_pixels":
            maximumPixels = Int(value).flatMap { $0 > 0 ? $0 : nil }
            return maximumPixels == nil ? "a number of pixels, such as 16000000" : nil
        case "enhance":
            isEnhanced = value == "auto"
            return isEnhanced ? nil : "auto"
        default: return "one of \(Self.names.joined(separator: ", "))"
        }
    }
}
