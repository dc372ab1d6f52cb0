package import Submit

/// What is wrong with one setting that is given for a destination, as far as its type's keys tell.
package enum SettingFault: Sendable, Hashable {
    /// It is none of the type.
    case unknown
    /// It must not stand among settings.
    case secret(SettingKey)
    /// Its value cannot be one: one sentence.
    case value(String)
}

extension SubmitterType {
    /// What is wrong with a setting; `nil`: nothing that the keys tell.
    ///
    /// Beside the keys there is `<key>_command` for each secret: the program that prints it.
    package func fault(of setting: String, _ value: String) -> SettingFault? {
        guard let key = settings.first(where: { $0.name == setting }) else {
            return settings.contains { $0.kind == .secret && $0.commandKey == setting } ? nil : .unknown
        }
        return key.kind == .secret ? .secret(key) : key.complaint(about: value).map(SettingFault.value)
    }
}
