internal import Submit

extension Capabilities {
    /// Why an item can never go to a destination with these facts; `nil` when it can.
    ///
    /// Looked at on acceptance and again before each attempt, since a configuration may change in between.
    ///
    /// - Parameter isWhole: false: it is what something is made of, whose size is not known yet.
    func refusal(
        of item: MediaItem, isWhole: Bool = true, _ options: SubmissionOptions, at destination: String
    ) -> SubmitFailure? {
        func refuse(_ code: String, _ sentence: String) -> SubmitFailure {
            SubmitFailure(.giveUp, code: code, message: sentence)
        }
        let kind = item.type.kind
        guard kinds.contains(kind) else {
            let word = kind == .photo ? "photos" : kind == .video ? "videos" : "files that are neither photo nor video"
            return refuse("kind", "“\(item.name)” was not sent: \(destination) takes no \(word).")
        }
        if let mimeTypes, !mimeTypes.contains(item.type.mime) {
            return refuse(
                "type", "“\(item.name)” was not sent: \(destination) takes no \(item.type.mime), convert it first.")
        }
        if isWhole, let limit = maximumSize[kind], item.size > limit {
            return refuse(
                "too-large",
                "“\(item.name)” was not sent: it has \(item.size) bytes and \(destination) takes at most \(limit).")
        }
        if let captionLimit, let caption = item.caption, caption.count > captionLimit {
            let cure = captionLimit == 0 ? "takes no caption" : "takes captions of at most \(captionLimit) characters"
            return refuse(
                "caption", "“\(item.name)” was not sent: \(destination) \(cure), and its caption has \(caption.count).")
        }
        if options.album != nil, !supportsAlbums {
            return refuse("no-albums", "“\(item.name)” was not sent: \(destination) has no albums.")
        }
        if options.verification == .readback, !canReadBack {
            return refuse(
                "no-readback",
                "“\(item.name)” was not sent: \(destination) cannot read back what it stored.")
        }
        return nil
    }
}
