internal import HTTPTypes

/// What every answer tells browsers.
enum StrictHeaders {
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
        "media-src 'self' blob:", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
        "require-trusted-types-for 'script'",
    ].joined(separator: "; ")

    private static let fields: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, policy), (.xContentTypeOptions, "nosniff"),
        (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
        (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
        (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
        (
            HTTPField.Name("Permissions-Policy")!,
            "camera=(), microphone=(), geolocation=(), payment=(), usb=(), screen-wake-lock=(self)"
        ),
    ]

    static func add(to fields: inout HTTPFields) {
        for (name, value) in Self.fields { fields[name] = value }
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-store" }
    }
}
