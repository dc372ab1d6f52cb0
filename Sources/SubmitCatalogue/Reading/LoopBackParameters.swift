/// A filter in the parameters of an address: `filter={…}` as JSON, or taken apart, `filter[where][tags]=harbour&filter[limit]=20`.
enum LoopBackParameters {
    /// `nil` where there is no filter among them.
    static func read(_ parameters: String) throws(CatalogueFault) -> PositionedJSON? {
        guard parameters.utf8.count <= CatalogueLimits.text else {
            throw CatalogueFault("This is longer than \(CatalogueLimits.text) bytes.", at: CatalogueLimits.text)
        }
        var root = ParameterNode(offset: 0)
        var offset = 0
        // By bytes: an accent behind a sign makes another character of it.
        for part in parameters.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            defer { offset += part.count + 1 }
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { Substring($0) }
            guard let name = halves.first else { continue }
            let key = try decoded(name, at: offset).text
            guard key == "filter" || key.utf8.starts(with: "filter[".utf8) else { continue }
            // Without a value nothing stands behind the name.
            let valueOffset = offset + name.utf8.count + (halves.count > 1 ? 1 : 0)
            let written = try decoded(halves.count > 1 ? halves[1] : "", at: valueOffset)
            let keys = try keys(of: key.dropFirst("filter".count), at: offset)
            try root.add(written, at: keys, offset, valueOffset: valueOffset)
        }
        if let written = root.written { return try json(written) }
        return root.children.isEmpty ? nil : try root.json()
    }

    /// With places in what was decoded turned into those in the parameters.
    private static func json(_ written: DecodedText) throws(CatalogueFault) -> PositionedJSON {
        do {
            return try PositionedJSON.read(written.text).placed { written.places[$0] }
        } catch {
            var fault = error
            fault.offset = fault.offset.map { written.places[$0] }
            throw fault
        }
    }

    /// `[where][tags]`
    private static func keys(of text: Substring, at offset: Int) throws(CatalogueFault) -> [String] {
        var (keys, rest): ([String], Substring) = ([], text)
        while !rest.isEmpty {
            guard rest.first == "[", let end = rest.firstIndex(of: "]") else {
                throw CatalogueFault("The parameter's name has a [ without a ], or more after it.", at: offset)
            }
            keys.append(String(rest[rest.index(after: rest.startIndex)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        guard keys.count <= 3 * CatalogueLimits.depth else { throw .tooDeep(at: offset) }
        return keys
    }

    private static func decoded(_ text: Substring, at offset: Int) throws(CatalogueFault) -> DecodedText {
        var (bytes, places, rest): ([UInt8], [Int], Substring.UTF8View) = ([], [], text.utf8)
        while true {
            places.append(offset + text.utf8.count - rest.count)
            guard let byte = rest.popFirst() else { break }
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                guard digits.count == 2 else {
                    throw CatalogueFault("After % there come two hexadecimal digits.", at: offset)
                }
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw CatalogueFault("This is no UTF-8.", at: offset)
        }
        return DecodedText(text: decoded, places: places)
    }
}

/// What percent-encoding stood for, and for each byte of it, and its end, how many bytes stood before that in the parameters.
private struct DecodedText {
    let text: String
    let places: [Int]
}

/// What has been put together of some parameters.
private struct ParameterNode {
    /// Names and values that may stand beside one another, as in LoopBack.
    private static let most = 20

    let offset: Int
    var written: DecodedText?
    var children: [(name: String, node: ParameterNode)] = []

    init(offset: Int) { self.offset = offset }

    mutating func add(
        _ written: DecodedText, at keys: [String], _ offset: Int, valueOffset: Int
    ) throws(CatalogueFault) {
        guard let key = keys.first else {
            guard self.written == nil, children.isEmpty else {
                throw CatalogueFault("This parameter stands twice.", at: offset)
            }
            self.written = written
            return
        }
        guard self.written == nil else { throw CatalogueFault("This parameter stands twice.", at: offset) }
        // `[]` is the next of a list.
        let name = key.isEmpty ? String(children.count) : key
        let known = children.firstIndex { $0.name == name }
        if known == nil {
            guard children.count < Self.most else {
                throw CatalogueFault("A list or an object has more than \(Self.most) members.", at: offset)
            }
            children.append((name, ParameterNode(offset: keys.count == 1 ? valueOffset : offset)))
        }
        try children[known ?? children.count - 1].node.add(
            written, at: Array(keys.dropFirst()), offset, valueOffset: valueOffset)
    }

    func json() throws(CatalogueFault) -> PositionedJSON {
        if let written { return PositionedJSON(content: .written(written.text), offset: offset) }
        if children.enumerated().allSatisfy({ $0.element.name == String($0.offset) }) {
            var values: [PositionedJSON] = []
            for child in children { values.append(try child.node.json()) }
            return PositionedJSON(content: .list(values), offset: offset)
        }
        var members: [PositionedJSON.NamedValue] = []
        for child in children {
            members.append(
                PositionedJSON.NamedValue(name: child.name, offset: child.node.offset, value: try child.node.json()))
        }
        return PositionedJSON(content: .object(members), offset: offset)
    }
}
