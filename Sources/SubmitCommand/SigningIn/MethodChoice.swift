internal import Submit

/// Which way of signing in is taken.
struct MethodChoice {
    /// What the person asked for.
    var wanted: LoginMethod?
    /// Whether a browser can be opened here.
    var hasDesktop: Bool

    /// - Throws: where the destination does not offer what was asked for, with what it does.
    func method(among offered: [LoginMethod], at name: String) throws(SubmitFailure) -> LoginMethod {
        if let wanted {
            if offered.contains(wanted) { return wanted }
            // Who comes back from a browser can paste where it came back to.
            throw .usage(
                "“\(name)” offers no login by \(Self.words(wanted)): leave the option out, it offers "
                    + "\(offered.map(Self.words).joined(separator: ", ")).")
        }
        if hasDesktop { return offered.first ?? .page }
        // On another computer a browser cannot come back to this one.
        for method in [LoginMethod.device, .page, .paste] where offered.contains(method) { return method }
        return offered.first ?? .page
    }

    static func words(_ method: LoginMethod) -> String {
        switch method {
        case .page: "a page in any browser"
        case .browser: "a browser on this computer (--browser)"
        case .paste: "a pasted code (--paste)"
        case .device: "a code for another device (--device)"
        case .typed: "typed secrets (--stdin, or at the terminal)"
        case .client: "what is configured (--client)"
        }
    }
}
