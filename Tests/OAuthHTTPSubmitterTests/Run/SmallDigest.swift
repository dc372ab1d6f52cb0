import Submit
import SubmitDigest

enum SmallDigest {
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var pass = DigestPass([.sha256])
        bytes.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256] ?? []
    }
}
