internal import CCurl
internal import Foundation
internal import SubmitHTTP

extension HTTPRequest {
    /// What can be seen of the files that libcurl could not use: its own words do not tell a wrong passphrase from a
    /// missing file. `nil` where it is not about them.
    func fileFault(_ code: CURLcode) -> HTTPFailure? {
        switch code {
        case CURLE_SSL_CERTPROBLEM: (clientCertificate?.fault).map { .clientCertificate($0) }
        case CURLE_SSL_CACERT_BADFILE: certificateAuthority.flatMap(Self.fault).map { .untrusted($0) }
        default: nil
        }
    }

    private static func fault(ofAuthority file: String) -> String? {
        switch PEMFile(file) {
        case .unreadable: "the file of trusted certificates “\(file)” cannot be read"
        case .text(let text): text.contains(certificateMark) ? nil : "“\(file)” holds no certificate in PEM form"
        }
    }
}

extension ClientCertificate {
    /// One sentence on what is wrong with the files.
    fileprivate var fault: String {
        guard case .text(let certificateText) = PEMFile(certificate) else {
            return "The certificate “\(certificate)” cannot be read: correct its path or its permissions."
        }
        guard case .text(let keyText) = PEMFile(key) else {
            return "The key “\(key)” cannot be read: correct its path or its permissions."
        }
        guard certificateText.contains(certificateMark) else {
            return "“\(certificate)” holds no certificate in PEM form: name the file that does."
        }
        guard keyText.contains("PRIVATE KEY-----") else {
            return "“\(key)” holds no private key in PEM form: name the file that does."
        }
        // PKCS #8 says so in the first line, the older form in a header (RFC 1421, section 4.6.1.1).
        if keyText.contains("BEGIN ENCRYPTED PRIVATE KEY-----") || keyText.contains("Proc-Type: 4,ENCRYPTED") {
            return withPassphrase { $0 == nil }
                ? "The key “\(key)” is encrypted: give its passphrase."
                : "The key “\(key)” does not open with the passphrase given, or belongs to another certificate than "
                    + "“\(certificate)”: correct the one or the other."
        }
        return "The key “\(key)” does not belong to the certificate “\(certificate)”, or one of them is damaged: "
            + "name two that belong together."
    }
}

private let certificateMark = "BEGIN CERTIFICATE-----"

/// What a file should hold certificates or keys.
private enum PEMFile {
    case unreadable
    case text(String)

    init(_ path: String) {
        let bytes = FileManager.default.contents(atPath: path)
        self = bytes.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .unreadable
    }
}
