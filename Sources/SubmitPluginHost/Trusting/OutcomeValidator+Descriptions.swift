internal import Submit
internal import SubmitPluginProtocol

extension OutcomeValidator {
    private static let mostSettings = 100

    /// What a program says of itself.
    func checked(_ type: TypeDescription, _ versions: [Int]) throws(ProtocolViolation) -> TypeDescription {
        guard versions.contains(type.version) else {
            throw ProtocolViolation("chose the protocol's version \(type.version), which was not offered")
        }
        try type.capabilities.checkSanity()
        var checked = type
        checked.summary = texts.line(type.summary, longest: 200)
        guard type.settings.count <= Self.mostSettings, Set(type.settings.map(\.name)).count == type.settings.count
        else {
            throw ProtocolViolation("has too many settings, or two of one name")
        }
        checked.settings = []
        for key in type.settings { checked.settings.append(try self.checked(key)) }
        return checked
    }

    private func checked(_ key: SettingKey) throws(ProtocolViolation) -> SettingKey {
        guard key.name.isSettingName else { throw ProtocolViolation("has a setting whose name is no name") }
        guard key.environment.count <= 10, key.environment.allSatisfy(\.isVariableName) else {
            throw ProtocolViolation("has a setting “\(key.name)” with names that are none of environment variables")
        }
        return SettingKey(
            key.name, key.kind, summary: texts.line(key.summary, longest: 200), isRequired: key.isRequired,
            environment: key.environment)
    }

    /// What a configured program says of itself.
    func checked(_ description: ConfiguredDescription) throws(ProtocolViolation) -> ConfiguredDescription {
        guard let type else { throw ProtocolViolation("was configured before it said what it is") }
        let capabilities = description.capabilities ?? type.capabilities
        try capabilities.checkSanity()
        if let more = capabilities.excess(over: type.capabilities) {
            throw ProtocolViolation("promises more than before it was configured (\(more))")
        }
        guard capabilities.supportsAlbums == description.facets.contains(.albums) else {
            throw ProtocolViolation("has albums and does not know them, or the other way round")
        }
        let secrets = Set(type.settings.filter { $0.kind == .secret }.map(\.name))
        guard secrets.isSuperset(of: description.loginSecrets) else {
            throw ProtocolViolation("has a login that gives secrets which are none of its settings")
        }
        var checked = description
        checked.capabilities = capabilities
        checked.longestLink = min(max(1, description.longestLink ?? 3600), 366 * 86_400)
        return checked
    }
}

extension Capabilities {
    /// Throws where they are facts of nothing that can be.
    fileprivate func checkSanity() throws(ProtocolViolation) {
        if case .concurrent(let width) = ordering, !(1...1000).contains(width) {
            throw ProtocolViolation("has the width \(width)")
        }
        guard !kinds.isEmpty, mimeTypes?.isEmpty != true else { throw ProtocolViolation("takes no kind of media") }
        guard (.zero ... .seconds(86_400)).contains(minimumGap), maximumSize.values.allSatisfy({ $0 > 0 }),
            digestLimits.values.allSatisfy({ $0 >= 0 }), captionLimit ?? 0 >= 0, mimeTypes?.count ?? 0 <= 1000
        else { throw ProtocolViolation("has a limit that is none") }
    }

    /// The name of something that these promise and `other` do not.
    fileprivate func excess(over other: Capabilities) -> String? {
        if ordering.width > other.ordering.width { return "width" }
        if case .sequential = other.ordering, case .concurrent = ordering { return "ordering" }
        if minimumGap < other.minimumGap { return "minimumGapMilliseconds" }
        if !kinds.isSubset(of: other.kinds) { return "kinds" }
        if let most = other.mimeTypes, mimeTypes?.isSubset(of: most) != true { return "mimeTypes" }
        if other.maximumSize.contains(where: { kinds.contains($0) && maximumSize[$0] ?? .max > $1 }) {
            return "maximumSize"
        }
        if let most = other.captionLimit, captionLimit ?? .max > most { return "captionLimit" }
        if supportsAlbums && !other.supportsAlbums { return "albums" }
        if canResume && !other.canResume { return "resumes" }
        if canReadBack && !other.canReadBack { return "readsBack" }
        if keepsBytes && !other.keepsBytes { return "keepsBytes" }
        return nil
    }
}

extension String {
    /// Letters, digits, `-`, `_` and `.`.
    fileprivate var isSettingName: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }

    /// Letters, digits and `_`, not beginning with a digit.
    fileprivate var isVariableName: Bool {
        (1...200).contains(utf8.count) && !(48...57).contains(utf8.first ?? 48)
            && utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 95
            }
    }
}
