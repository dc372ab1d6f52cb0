internal import ArgumentParser
internal import Submit

/// So many bytes, as people type them: `500k`, `2M`, `1.5G`, `10MB`.
struct TypedSize: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        guard let bytes = SizeText.bytes(of: argument) else { return nil }
        self.bytes = bytes
    }
}
