internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal

/// What to do about a failure on the command line. The library's sentences say what to do in its own words; which verb or
/// option that is here goes by their codes.
enum Advice {
    /// A failure's sentence as it is shown, to people and to programs: without secrets.
    ///
    /// - Parameter destination: where it happened, as far as that is known.
    static func sentence(_ sentence: String, code: String, at destination: String? = nil) -> String {
        let sentence = KnownSecrets.redacted(sentence)
        return words(on: code, at: destination ?? "NAME", sentence).map { "\(sentence) \($0)" } ?? sentence
    }

    private static func words(on code: String, at name: String, _ sentence: String) -> String? {
        switch code {
        case "not-media", "sidecar": "Give --any-file to send it as it is."
        case "no-albums": "Leave out --album."
        case "no-readback": "Leave out --verify."
        case "album-of-items": "--album names it."
        case "resources": "--jobs bounds how much is sent at once."
        case "changed": "Give --on-conflict rename or --on-conflict overwrite."
        case "source-vanished", "source-denied": "`submit retry` tries again."

        case "remove-source-copies": "--to names them."
        case "remove-source-readback", "source-not-read-back": "Give --verify readback."
        case "no-trash", "trash-on-source": "Give --remove-source-how delete for that."
        case "source-away": "`submit resume` goes on then."
        case "source-needed-by-failed": "`submit retry` does."
        case "source-needed-by-acceptance": "`submit resume` does."

        case "unknown-destination": additions(of: sentence) ?? "`submit destinations` lists them."
        case "folder-not-added": addition(ofFolder: sentence)
        case "not-mounted": "`submit destinations moved \(name)` confirms the system disk."
        case "unknown-type", "departed": "`submit types` lists what there is."
        case "not-tried": "`submit destinations check \(name)` does."
        case "by-rclone":
            "`rclone config` makes a remote for it, and `submit destinations add NAME --type rclone remote=REMOTE:FOLDER` "
                + "takes that (Bridges.md)."
        case "by-share":
            "`submit destinations add NAME --type file path=/MOUNT/FOLDER`, or `rclone config` and `submit destinations add "
                + "NAME --type rclone remote=REMOTE:FOLDER` (Bridges.md)."
        case "by-git-annex": "`submit types git-annex` tells what it takes (Bridges.md)."
        case "other-type": "`submit types NAME` tells what it takes."
        case "beyond-recipes": "`submit new-submitter` begins one."
        case "not-configured": "`submit cancel --to \(name)` does that."
        case "not-set-up": "`submit destinations add \(name) --type objstore …` asks for it."
        case "recipe": "`submit recipes lint` tells all that is wrong with one."
        case "folder-renamed":
            "`submit destinations edit \(name) path=\(ShellText.quoted(quoted(in: sentence) ?? "FOLDER"))` changes it; "
                + "`submit destinations moved \(name)` begins a new folder."
        case "disk-away": "`submit destinations moved \(name)` says so."
        case "upload-stays": "`submit cleanup` does."
        case "no-package": "Give --submit."
        case "backup-exists": "--force replaces an earlier backup."

        case "credentials", "signed-out":
            "`submit secrets set \(name)` sets its password, key or token. If it has a page for signing in: `submit login "
                + "\(name)`."
        // Some need no credentials at all.
        case "no-login" where sentence.contains("set"):
            "`submit secrets set \(quoted(in: sentence) ?? name)` sets its password, key or token."
        case "needs-login", "login-denied", "login-expired", "login-refused", "login-timeout", "login-unanswered":
            "`submit login \(name)` does."
        default: nil
        }
    }

    /// How to add a destination of a name that nothing resembles.
    private static func additions(of sentence: String) -> String? {
        guard let name = quoted(in: sentence), ConfigurationFile.isName(name), !sentence.contains("(did you mean")
        else {
            return nil
        }
        return
            "For a folder or a mounted share: `submit destinations add \(name) --type file path=FOLDER`. For a server: "
            + "`submit destinations add \(name) --type webdav url=ADDRESS`. `submit destinations` lists those you have."
    }

    private static func addition(ofFolder sentence: String) -> String? {
        quoted(in: sentence).map {
            "`submit destinations add NAME --type file path=\(ShellText.quoted($0))` adds it."
        }
    }

    private static func quoted(in sentence: String) -> String? {
        sentence.firstMatch(of: /“([^”]*)”/).map { String($0.1) }
    }
}

extension SubmitFailure {
    /// Its sentence, with what to do about it on the command line; see ``Advice``.
    func advised(at destination: String? = nil) -> String { Advice.sentence(message, code: code, at: destination) }
}

extension SubmissionRecord {
    /// The last failure's sentence, with what to do about it on the command line.
    var advised: String? { message.map { Advice.sentence($0, code: code ?? "", at: destination) } }
}

extension AttemptRecord {
    /// Its failure's sentence, with what to do about it on the command line.
    func advised(at destination: String) -> String? {
        message.map { Advice.sentence($0, code: code ?? "", at: destination) }
    }
}

extension DestinationState {
    /// Why nothing goes out, with what to do about it on the command line.
    var advised: String? { hold.map { Advice.sentence($0.message, code: $0.code, at: name) } }
}
