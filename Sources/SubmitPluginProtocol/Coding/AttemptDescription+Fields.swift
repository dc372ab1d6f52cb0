internal import Submit

extension AttemptDescription {
    init(reading fields: FieldReader) throws {
        let path = try fields.textIfPresent(.path)
        try self.init(
            submission: fields.text(.submission), attempt: fields.number(.attempt, in: 1...Int.max),
            item: MediaItem(reading: fields.object(.item), path: path), path: path,
            options: SubmissionOptions(
                album: fields.textIfPresent(.album), onConflict: fields.word(.onConflict),
                verification: fields.word(.verification)), disproved: fields.textIfPresent(.disproved),
            checkpoint: fields.textIfPresent(.checkpoint))
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(submission, forKey: .submission)
        try fields.encode(attempt, forKey: .attempt)
        try fields.object(.item) { try item.write(to: &$0) }
        try fields.encodeIfPresent(path, forKey: .path)
        try fields.encodeIfPresent(options.album, forKey: .album)
        try fields.encode(options.onConflict.rawValue, forKey: .onConflict)
        try fields.encode(options.verification.rawValue, forKey: .verification)
        try fields.encodeIfPresent(disproved, forKey: .disproved)
        try fields.encodeIfPresent(checkpoint, forKey: .checkpoint)
    }
}
