internal import Submit

extension Receipt {
    init(reading fields: FieldReader) throws {
        try self.init(
            remoteID: fields.text(.remoteID), url: fields.textIfPresent(.url), evidence: fields.word(.evidence),
            wasThere: fields.flag(.wasThere), note: fields.textIfPresent(.note), marks: fields.textsByName(.marks))
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(remoteID, forKey: .remoteID)
        try fields.encodeIfPresent(url, forKey: .url)
        try fields.encode(evidence.rawValue, forKey: .evidence)
        try fields.encode(wasThere, unless: false, forKey: .wasThere)
        try fields.encodeIfPresent(note, forKey: .note)
        try fields.encode(marks, unless: [:], forKey: .marks)
    }
}
