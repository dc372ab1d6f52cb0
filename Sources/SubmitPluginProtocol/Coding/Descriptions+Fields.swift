internal import Submit

extension TypeDescription {
    init(reading fields: FieldReader) throws {
        try self.init(
            version: fields.number(.version), summary: fields.text(.summary),
            capabilities: fields.capabilities() ?? Capabilities(ordering: .sequential, requiresNetwork: true),
            settings: fields.objects(.settings).map { try SettingKey(reading: $0) },
            silenceSeconds: fields.numberIfPresent(.silenceSeconds, in: 1...86400) ?? 300)
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(version, forKey: .version)
        try fields.encode(summary, forKey: .summary)
        try fields.object(.capabilities) { try capabilities.write(to: &$0) }
        try fields.objects(settings, forKey: .settings) { try $0.write(to: &$1) }
        try fields.encode(silenceSeconds, unless: 300, forKey: .silenceSeconds)
    }
}

extension ConfiguredDescription {
    init(reading fields: FieldReader) throws {
        try self.init(
            capabilities: fields.capabilities(), facets: Set(fields.texts(.facets).compactMap(FacetName.init)),
            longestLink: fields.numberIfPresent(.longestLink, in: 1...Int.max),
            loginSecrets: Set(fields.texts(.loginSecrets)))
    }

    func write(to fields: inout FieldWriter) throws {
        if let capabilities { try fields.object(.capabilities) { try capabilities.write(to: &$0) } }
        try fields.encode(words: facets, forKey: .facets)
        try fields.encodeIfPresent(longestLink, forKey: .longestLink)
        try fields.encode(loginSecrets.sorted(), unless: [], forKey: .loginSecrets)
    }
}

extension FieldReader {
    fileprivate func capabilities() throws -> Capabilities? {
        try has(.capabilities) ? Capabilities(reading: object(.capabilities)) : nil
    }
}
