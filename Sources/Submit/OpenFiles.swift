internal import SubmitPlatform

/// How many files this process may have open at once.
package enum OpenFiles {
    /// The present limit (`ulimit -n`); `nil` where it is not told.
    package static var limit: UInt? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_cur : nil
    }
}
