internal import Foundation

/// Where a page ended. To others it is a word without meaning, which they give back to have the next one.
///
/// It holds the last picture's place in the order, and a digest of the question: with another question it means nothing. Whoever
/// makes one up gets another page of what they may ask for anyway.
public struct PageMark: Sendable, Hashable {
    let question: UInt64
    let values: [CatalogueKey]

    init(question: UInt64, values: [CatalogueKey]) { (self.question, self.values) = (question, values) }

    private static let version: UInt8 = 1
    private static let refusal = CatalogueFault(
        "This is no mark of a next page: give the one that came with the page before, as it is.", at: nil)

    /// In letters that stand in an address as they are.
    public var text: String {
        var bytes = [Self.version]
        func append(_ number: UInt64) {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        append(question)
        for value in values {
            switch value {
            case .null: bytes.append(0)
            case .integer(let number):
                bytes.append(1)
                append(UInt64(bitPattern: number))
            case .real(let number):
                bytes.append(2)
                append(number.bitPattern)
            case .text(let text):
                bytes.append(3)
                append(UInt64(text.utf8.count))
                bytes += text.utf8
            case .bytes(let blob):
                bytes.append(4)
                append(UInt64(blob.count))
                bytes += blob
            }
        }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    /// - Throws: where it is not what ``text`` was.
    public init(_ text: String) throws(CatalogueFault) {
        guard text.utf8.count <= CatalogueLimits.mark else { throw Self.refusal }
        let padded =
            text.replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard !text.contains(where: { "+/=".contains($0) }), let data = Data(base64Encoded: padded) else {
            throw Self.refusal
        }
        var bytes = [UInt8](data)[...]
        func number() throws(CatalogueFault) -> UInt64 {
            guard bytes.count >= 8 else { throw Self.refusal }
            defer { bytes = bytes.dropFirst(8) }
            return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        func blob() throws(CatalogueFault) -> [UInt8] {
            let count = try number()
            guard count <= UInt64(bytes.count) else { throw Self.refusal }
            defer { bytes = bytes.dropFirst(Int(count)) }
            return Array(bytes.prefix(Int(count)))
        }
        guard bytes.popFirst() == Self.version else { throw Self.refusal }
        question = try number()
        var values: [CatalogueKey] = []
        while let kind = bytes.popFirst() {
            switch kind {
            case 0: values.append(.null)
            case 1: values.append(.integer(Int64(bitPattern: try number())))
            case 2:
                let real = Double(bitPattern: try number())
                guard real.isFinite else { throw Self.refusal }
                values.append(.real(real))
            case 3:
                guard let text = String(validating: try blob(), as: UTF8.self) else { throw Self.refusal }
                values.append(.text(text))
            case 4: values.append(.bytes(try blob()))
            default: throw Self.refusal
            }
            guard values.count <= CatalogueLimits.order + 1 else { throw Self.refusal }
        }
        self.values = values
    }
}
