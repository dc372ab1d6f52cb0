internal import Submit

extension SettingKey {
    init(reading fields: FieldReader) throws {
        let kind: Kind =
            switch try fields.has(.kind) ? fields.word(.kind) : SettingKindName.text {
            case .text: .text
            case .integer: .integer
            case .boolean: .boolean
            case .path: .path
            case .url: .url
            case .choice: .choice(try fields.decode([String].self, forKey: .values))
            case .secret: .secret
            }
        try self.init(
            fields.text(.name), kind, summary: fields.text(.summary), isRequired: fields.flag(.required),
            environment: fields.texts(.environment))
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(name, forKey: .name)
        try fields.encode(SettingKindName(kind).rawValue, unless: SettingKindName.text.rawValue, forKey: .kind)
        if case .choice(let words) = kind { try fields.encode(words, forKey: .values) }
        try fields.encode(summary, forKey: .summary)
        try fields.encode(isRequired, unless: false, forKey: .required)
        try fields.encode(environment, unless: [], forKey: .environment)
    }
}

/// The kinds of settings by name.
package enum SettingKindName: String, CaseIterable {
    case text, integer, boolean, path, url, choice, secret

    fileprivate init(_ kind: SettingKey.Kind) {
        self =
            switch kind {
            case .text: .text
            case .integer: .integer
            case .boolean: .boolean
            case .path: .path
            case .url: .url
            case .choice: .choice
            case .secret: .secret
            }
    }
}
