internal import CLinux
internal import Foundation
internal import Submit

/// What the system lets this process have: set and looked at before anything begins.
enum ProcessLimits {
    /// With fewer, Dispatch ends the process when it cannot make what it wakes threads with.
    private static let fewestFiles: rlim_t = 32
    /// Files, connections and programs of several destinations at once. No more: the programs that we start inherit it,
    /// and select(2) knows no others.
    private static let enoughFiles: rlim_t = 1024
    /// With less, Dispatch waits for ever for room for another thread's stack.
    private static let leastAddresses: rlim_t = 512 << 20

    /// No memory with secrets in it on disk, as many open files as may be had, and little memory that lies idle.
    ///
    /// To be called before there are threads.
    static func set() {
        // The C library makes up to eight arenas a core, of 64 MiB of addresses each: too much for a `ulimit -v` of a GiB.
        mallopt(M_ARENA_MAX, 2)
        // The kernel takes 1 for none, also where a program collects them (core(5)).
        change(RLIMIT_CORE) { min(1, $0.rlim_max) }
        change(RLIMIT_NOFILE) { max($0.rlim_cur, min(enoughFiles, $0.rlim_max)) }
    }

    /// - Throws: where a run might hang or die.
    static func check() throws {
        if let files = limit(RLIMIT_NOFILE)?.rlim_cur, files < fewestFiles {
            throw SubmitFailure.usage(
                "Only \(files) files may be open at once, and \(fewestFiles) is the least: raise `ulimit -n`.")
        }
        if let bytes = limit(RLIMIT_AS)?.rlim_cur, bytes < leastAddresses {
            throw SubmitFailure.usage(
                "Only \(bytes >> 20) MiB of addresses may be used, and \(leastAddresses >> 20) is the least: raise `ulimit -v`."
            )
        }
    }

    private static func limit(_ resource: __rlimit_resource) -> rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 ? limit : nil
    }

    private static func change(_ resource: __rlimit_resource, to wanted: (rlimit) -> rlim_t) {
        guard var limit = limit(resource) else { return }
        limit.rlim_cur = wanted(limit)
        setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
