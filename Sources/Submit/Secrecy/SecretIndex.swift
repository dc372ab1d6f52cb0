/// Where in a text a secret stands: by each run of ``window`` bytes of each form that it may be written in.
///
/// Secrets come in at once and are looked into with the first text, so that a run in which nothing fails pays nothing.
struct SecretIndex: Sendable {
    /// Bytes of a part that is hidden.
    static let window = KnownSecrets.shortestPart
    /// What is kept of secrets that are not configured, at most.
    private static let mostPassing = 256
    private static let mostPassingBytes = 128 << 10

    private var configured: Set<String> = []
    private var passing: Set<String> = []
    /// The same, oldest first.
    private var ages: [String] = []
    private var passingBytes = 0
    private var unread: [String] = []

    private var windows: Set<UInt64> = []
    /// A bit for some of the bits of each window: most of a text is told apart by it.
    private var sieve: [UInt64] = []
    /// Forms shorter than the window, by their first byte.
    private var short: [[ShortForm]] = []

    private struct ShortForm: Hashable {
        let bytes: [UInt8]
        /// It only counts where no letter stands beside it: somebody's `long` is no part of “belongs”.
        let isWord: Bool
    }

    /// Secrets of letters alone that are shorter count as words.
    private static let longestWord = 7

    mutating func add(_ secret: String, isConfigured: Bool) {
        if configured.contains(secret) { return }
        if isConfigured {
            configured.insert(secret)
            if forget(secret) { return }
        } else {
            guard passing.insert(secret).inserted else { return refresh(secret) }
            ages.append(secret)
            passingBytes += secret.utf8.count
        }
        unread.append(secret)
        if ages.count > Self.mostPassing || passingBytes > Self.mostPassingBytes { forgetOldest() }
    }

    /// What is in use is not the oldest.
    private mutating func refresh(_ secret: String) {
        guard ages.last != secret, let place = ages.firstIndex(of: secret) else { return }
        ages.append(ages.remove(at: place))
    }

    private mutating func forget(_ secret: String) -> Bool {
        guard passing.remove(secret) != nil else { return false }
        ages.removeAll { $0 == secret }
        passingBytes -= secret.utf8.count
        return true
    }

    /// Some at once, as all others are read anew.
    private mutating func forgetOldest() {
        while ages.count > 1,
            ages.count > Self.mostPassing * 3 / 4 || passingBytes > Self.mostPassingBytes * 3 / 4
        {
            let oldest = ages.removeFirst()
            passing.remove(oldest)
            passingBytes -= oldest.utf8.count
        }
        windows = []
        sieve = []
        short = []
        unread = configured + ages
    }

    /// The same with all secrets looked into; `nil` where there are none.
    mutating func ready() -> SecretIndex? {
        if !unread.isEmpty {
            if sieve.isEmpty {
                sieve = [UInt64](repeating: 0, count: 1024)
                short = [[ShortForm]](repeating: [], count: 256)
            }
            for secret in unread { read(Array(secret.utf8)) }
            unread = []
        }
        return sieve.isEmpty ? nil : self
    }

    private mutating func read(_ secret: [UInt8]) {
        for form in SecretForms.all(of: secret) {
            form.withUnsafeBytes { bytes in
                if bytes.count < Self.window {
                    let isWord = form == secret && form.count <= Self.longestWord && form.allSatisfy(Self.isLetter)
                    let new = ShortForm(bytes: form, isWord: isWord)
                    if !short[Int(bytes[0])].contains(new) { short[Int(bytes[0])].append(new) }
                    return
                }
                for place in 0...(bytes.count - Self.window) {
                    let key = Self.key(bytes, place)
                    if windows.insert(key).inserted { sieve[Int(key >> 54)] |= 1 << (key >> 48 & 63) }
                }
            }
        }
    }

    /// The bytes of a window as one number.
    private static func key(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        let a = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let b = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self)
        var key = (a ^ UInt64(b) &* 0x9e37_79b9_7f4a_7c15) &* 0xff51_afd7_ed55_8ccd
        key ^= key >> 32
        return key &* 0xc4ce_b9fe_1a85_ec53
    }

    /// Where in a text they stand, in order; what touches is one. Whole characters.
    ///
    /// - Parameter shorter: also what is shorter than ``window``.
    func finds(in text: UnsafeBufferPointer<UInt8>, shorter: Bool = true) -> [Range<Int>] {
        var finds: [Range<Int>] = []
        look(UnsafeRawBufferPointer(text), shorter) { finds.append($0) }
        var unescaped = UnescapedText(text)
        while let layer = unescaped {
            layer.bytes.withUnsafeBytes { bytes in
                look(bytes, shorter) { finds.append(layer.origins[$0.lowerBound]..<layer.origins[$0.upperBound]) }
            }
            unescaped = layer.next
        }
        if finds.isEmpty { return [] }
        finds.sort { $0.lowerBound < $1.lowerBound }
        var merged: [Range<Int>] = []
        for find in finds {
            var start = find.lowerBound
            var end = find.upperBound
            while start > 0, text[start] & 0xc0 == 0x80 { start -= 1 }
            while end < text.count, text[end] & 0xc0 == 0x80 { end += 1 }
            if let last = merged.last, start <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                merged.append(start..<end)
            }
        }
        return merged
    }

    /// Whether a secret as long as ``window`` or longer stands whole in a text, in one of its forms.
    func isWhole(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = Array(text)
        return configured.union(passing).lazy.filter { $0.utf8.count >= Self.window }.contains { secret in
            SecretForms.all(of: Array(secret.utf8)).contains {
                $0.count >= Self.window && text.firstRange(of: $0) != nil
            }
        }
    }

    private func look(_ text: UnsafeRawBufferPointer, _ shorter: Bool, _ find: (Range<Int>) -> Void) {
        for place in text.indices {
            if place + Self.window <= text.count {
                let key = Self.key(text, place)
                if sieve[Int(key >> 54)] >> (key >> 48 & 63) & 1 == 1, windows.contains(key) {
                    find(place..<place + Self.window)
                }
            }
            if !shorter { continue }
            for form in short[Int(text[place])] where place + form.bytes.count <= text.count {
                let end = place + form.bytes.count
                guard text[place..<end].elementsEqual(form.bytes) else { continue }
                if form.isWord,
                    place > 0 && Self.isLetter(text[place - 1]) || end < text.count && Self.isLetter(text[end])
                {
                    continue
                }
                find(place..<end)
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension SecretIndex: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "secrets" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
