internal import Submit
internal import SubmitPlatform
internal import SystemPackage

extension SubmitFailure {
    /// Runs `body` and says of a file system's refusal what it means.
    static func at<Value>(
        _ path: String, needed: Int64 = 0, _ body: () throws(Errno) -> Value
    ) throws(SubmitFailure) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw .file(error, path, needed: needed)
        }
    }

    /// Nothing can be stored there now, whatever it is called.
    var isOfPlaceNow: Bool {
        switch remedy {
        case .hold(.unreachable, _), .hold(.full, _): true
        default: false
        }
    }

    /// What a file system's refusal means for a submission.
    ///
    /// - Parameters:
    ///   - path: where it happened.
    ///   - needed: how many bytes were to be stored there.
    static func file(_ error: Errno, _ path: String, needed: Int64 = 0) -> SubmitFailure {
        let reason = String(describing: error)
        switch error.rawValue {
        case ENOSPC, EDQUOT:
            let size = ByteCount.text(needed)
            return SubmitFailure(
                .hold(.full, after: nil), code: "full",
                message: "“\(path)” has no room for \(size) more; make room there and resume.")
        case EROFS, EACCES, EPERM:
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "not-writable",
                message: "“\(path)” cannot be written to (\(reason)); change its permissions or choose another folder.")
        case ENOENT:
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "no-folder",
                message: "The folder “\(path)” is not there; mount or make it, or choose another one.")
        case ENOTDIR, ELOOP:
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "no-folder",
                message: "“\(path)” is not a folder; choose another one.")
        case EIO, ESTALE, ENODEV, ENXIO, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT, EREMOTEIO, ECONNABORTED,
            ECONNRESET,
            ECONNREFUSED, ENETDOWN, ENETUNREACH, ESHUTDOWN, EPIPE, ENOMEDIUM, EUCLEAN, EBADMSG:
            return SubmitFailure(
                .hold(.unreachable, after: nil), code: "unreachable",
                message: "“\(path)” does not answer (\(reason)); check that its disk or share is connected.")
        case ENAMETOOLONG, EINVAL, EILSEQ:
            return SubmitFailure(
                .giveUp, code: "name",
                message: "“\(path)” is a name that its file system does not take (\(reason)); rename the file.")
        case EISDIR, ENOTEMPTY, EEXIST:
            return SubmitFailure(
                .giveUp, code: "name-taken", message: "A folder in “\(path)” has the name; rename it or the file.")
        case EFBIG:
            return SubmitFailure(
                .giveUp, code: "too-large",
                message:
                    "“\(path)” takes no files as large as \(ByteCount.text(needed)); choose a folder on another disk.")
        default:
            return SubmitFailure(
                .retry(after: nil), code: "file-system",
                message: "“\(path)” could not be stored (\(reason)); try again.")
        }
    }
}

/// Numbers of bytes as people read them.
enum ByteCount {
    static func text(_ count: Int64) -> String {
        var value = Double(count)
        for unit in ["bytes", "kB", "MB", "GB", "TB"] {
            if value < 1000 || unit == "TB" {
                let tenths = Int64((value * 10).rounded())
                return unit == "bytes" ? "\(count) bytes" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1000
        }
        return "\(count) bytes"
    }
}
