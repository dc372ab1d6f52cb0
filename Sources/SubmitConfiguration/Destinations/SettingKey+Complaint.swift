package import Submit

extension SettingKey {
    /// The setting of a destination that names the program for a secret.
    package var commandKey: String { "\(name)_command" }

    /// What is wrong with a value as people write it; `nil`: nothing that its kind tells.
    package func complaint(about value: String) -> String? {
        switch kind {
        case .integer where Int(value) == nil: "“\(name)” must be a whole number, not “\(value)”."
        case .boolean where !["true", "yes", "on", "1", "false", "no", "off", "0"].contains(value.lowercased()):
            "“\(name)” must be true or false, not “\(value)”."
        case .choice(let words) where !words.contains(value):
            "“\(name)” must be one of \(words.joined(separator: ", ")), not “\(value)”."
        case .url where !value.hasPrefix("http://") && !value.hasPrefix("https://"):
            "“\(name)” must begin with http:// or https://."
        // Where photos go must not depend on where somebody stood.
        case .path where !value.isEmpty && value != "~" && !value.hasPrefix("/") && !value.hasPrefix("~/"):
            "“\(name)” must begin with “/” or “~/”, not “\(value)”."
        default: nil
        }
    }
}
