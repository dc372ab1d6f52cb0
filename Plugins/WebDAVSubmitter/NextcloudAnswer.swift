internal import FoundationEssentials
internal import Submit

/// What a Nextcloud answers in a login, as JSON. An answer that lacks something, or whose parts cannot be what they
/// should be, is none.
enum NextcloudAnswer {
    /// To the request for a login.
    struct Begun: Decodable {
        let poll: Poll
        let login: String

        struct Poll: Decodable {
            let token: String
            let endpoint: String
        }

        init?(_ body: [UInt8]) {
            guard let read = try? JSONDecoder().decode(Begun.self, from: Data(body)), isWord(read.poll.token) else {
                return nil
            }
            KnownSecrets.add(read.poll.token)
            self = read
        }
    }

    /// To the question whether the person has signed in.
    struct Granted: Decodable {
        let loginName: String
        let appPassword: String

        init?(_ body: [UInt8]) {
            guard let read = try? JSONDecoder().decode(Granted.self, from: Data(body)), isWord(read.appPassword),
                isUser(read.loginName)
            else { return nil }
            KnownSecrets.add(read.appPassword)
            self = read
        }
    }

    /// A token or a password.
    private static func isWord(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// A user's name that fits Basic authentication (RFC 7617, section 2) and one line.
    private static func isUser(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: scalar != ":"
                }
            }
    }
}

extension NextcloudAnswer.Begun: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension NextcloudAnswer.Granted: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
