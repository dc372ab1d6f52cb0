internal import Submit

extension Capabilities {
    /// What a submitter can do that says nothing of it.
    private static var usual: Capabilities { Capabilities(ordering: .sequential, requiresNetwork: true) }

    init(reading fields: FieldReader) throws {
        self = Self.usual
        if try fields.has(.ordering) {
            switch try fields.word(.ordering) as OrderingName {
            case .sequential: ordering = .sequential
            case .concurrent: ordering = .concurrent(try fields.numberIfPresent(.width, in: 1...1000) ?? 1)
            }
        }
        minimumGap = .milliseconds(try fields.numberIfPresent(.minimumGapMilliseconds, in: 0...86_400_000) ?? 0)
        kinds = try fields.words(.kinds) ?? kinds
        mimeTypes = try fields.decodeIfPresent(Set<String>.self, forKey: .mimeTypes)
        maximumSize = try fields.sizes(.maximumSize)
        captionLimit = try fields.numberIfPresent(.captionLimit)
        supportsAlbums = try fields.flag(.albums)
        canResume = try fields.flag(.resumes)
        requiresNetwork = try fields.flag(.requiresNetwork, otherwise: true)
        digests = try fields.words(.digests) ?? []
        digestLimits = try fields.sizes(.digestLimits)
        canReadBack = try fields.flag(.readsBack)
        if try fields.has(.proves) { proves = try fields.word(.proves) as Evidence }
        usesCaptureTime = try fields.flag(.usesCaptureTime)
        if try fields.has(.visibility) { visibility = try fields.word(.visibility) as Visibility }
        keepsBytes = try fields.flag(.keepsBytes, otherwise: true)
    }

    func write(to fields: inout FieldWriter) throws {
        if case .concurrent = ordering {
            try fields.encode(OrderingName.concurrent.rawValue, forKey: .ordering)
            try fields.encode(min(1000, ordering.width), forKey: .width)
        }
        try fields.encode(minimumGap.milliseconds, unless: 0, forKey: .minimumGapMilliseconds)
        if kinds != Self.usual.kinds { try fields.encode(words: kinds, forKey: .kinds) }
        try fields.encodeIfPresent(mimeTypes?.sorted(), forKey: .mimeTypes)
        if !maximumSize.isEmpty { try fields.encode(sizes: maximumSize, forKey: .maximumSize) }
        try fields.encodeIfPresent(captionLimit, forKey: .captionLimit)
        try fields.encode(supportsAlbums, unless: false, forKey: .albums)
        try fields.encode(canResume, unless: false, forKey: .resumes)
        try fields.encode(requiresNetwork, unless: true, forKey: .requiresNetwork)
        if !digests.isEmpty { try fields.encode(words: digests, forKey: .digests) }
        if !digestLimits.isEmpty { try fields.encode(sizes: digestLimits, forKey: .digestLimits) }
        try fields.encode(canReadBack, unless: false, forKey: .readsBack)
        try fields.encodeIfPresent(proves?.rawValue, forKey: .proves)
        try fields.encode(usesCaptureTime, unless: false, forKey: .usesCaptureTime)
        if visibility != .private { try fields.encode(visibility.rawValue, forKey: .visibility) }
        try fields.encode(keepsBytes, unless: true, forKey: .keepsBytes)
    }
}

/// The orderings by name.
package enum OrderingName: String, CaseIterable {
    case sequential, concurrent
}
