internal import SubmitPlatform

/// Takes a body of `multipart/form-data` apart as it comes, as browsers write it (RFC 7578, and WHATWG for names), and refuses
/// whatever is written otherwise. It holds no more than a piece and a part's fields.
struct MultipartParser {
    enum Event: Equatable {
        case part(MultipartFields)
        case data([UInt8])
        case partEnd
        case end
    }

    enum Fault: Error, Equatable {
        /// It does not begin with its boundary, or something else stands behind one.
        case boundary
        /// A part's fields are too many, or not written as fields.
        case fields
        case tooManyParts
        /// The end came before that of the last part.
        case truncated
    }

    private enum State {
        case first, afterBoundary, fields, data, epilogue
    }

    static let longestFields = 8 << 10

    private let delimiter: [UInt8]
    private let mostParts: Int
    private var state = State.first
    private var buffer: [UInt8] = []
    private var start = 0
    private var parts = 0
    private var isEnded = false

    /// - Parameter contentType: `multipart/form-data; boundary=…`; `nil` where it is another one.
    init?(contentType: String, mostParts: Int = 10_000) {
        let words = contentType.split(separator: ";").map(\.trimmed)
        guard words.first?.lowercased() == "multipart/form-data",
            let word = words.first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        var boundary = word.dropFirst("boundary=".count)
        if boundary.count >= 2, boundary.first == "\"", boundary.last == "\"" {
            boundary = boundary.dropFirst().dropLast()
        }
        guard (1...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return nil
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.mostParts = mostParts
        // So that the first one is found as all others are.
        buffer = [0x0d, 0x0a]
    }

    /// More of the body.
    mutating func push(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// There is no more.
    mutating func finish() { isEnded = true }

    /// What comes next; `nil`: more has to be pushed.
    mutating func next() throws(Fault) -> Event? {
        while true {
            let waiting = buffer.count - start
            switch state {
            case .first:
                guard waiting >= delimiter.count else { return try needMore() }
                guard buffer[start..<start + delimiter.count].elementsEqual(delimiter) else { throw .boundary }
                start += delimiter.count
                state = .afterBoundary
            case .afterBoundary:
                guard waiting >= 2 else { return try needMore() }
                let pair = (buffer[start], buffer[start + 1])
                start += 2
                if pair == (0x2d, 0x2d) {
                    state = .epilogue
                    return .end
                }
                guard pair == (0x0d, 0x0a) else { throw .boundary }
                parts += 1
                if parts > mostParts { throw .tooManyParts }
                state = .fields
            case .fields:
                guard let fields = try fields() else { return try needMore() }
                state = .data
                return .part(fields)
            case .data:
                return try data()
            case .epilogue:
                start = buffer.count
                return nil
            }
        }
    }

    private func needMore() throws(Fault) -> Event? {
        if isEnded { throw .truncated }
        return nil
    }

    private mutating func fields() throws(Fault) -> MultipartFields? {
        let end = Array("\r\n\r\n".utf8)
        guard let index = Self.find(end, in: buffer, from: start) else {
            if buffer.count - start > Self.longestFields { throw .fields }
            return nil
        }
        guard index - start <= Self.longestFields, let fields = MultipartFields(buffer[start..<index]) else {
            throw .fields
        }
        // The line's end before a boundary belongs to it, also where nothing stands between.
        start = index + end.count
        buffer.replaceSubrange(..<start, with: [])
        start = 0
        return fields
    }

    private mutating func data() throws(Fault) -> Event? {
        if let index = Self.find(delimiter, in: buffer, from: start) {
            if index > start {
                defer { start = index }
                return .data(Array(buffer[start..<index]))
            }
            start += delimiter.count
            state = .afterBoundary
            return .partEnd
        }
        // What may be the beginning of a delimiter waits.
        let safe = buffer.count - (delimiter.count - 1)
        guard safe > start else { return try needMore() }
        defer { start = safe }
        return .data(Array(buffer[start..<safe]))
    }

    private static func find(_ needle: [UInt8], in hay: [UInt8], from start: Int) -> Int? {
        hay.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var index = start
            while bytes.count - index >= needle.count {
                let room = bytes.count - index - needle.count + 1
                guard let found = memchr(base + index, CInt(needle[0]), room) else { return nil }
                index = UnsafeRawPointer(found) - base
                if memcmp(base + index, needle, needle.count) == 0 { return index }
                index += 1
            }
            return nil
        }
    }
}
