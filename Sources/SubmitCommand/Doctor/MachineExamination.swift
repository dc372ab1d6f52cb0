internal import CLinux
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitPlatform
internal import SystemPackage

extension Examination {
    /// The program, the system, and what it lets this process have.
    static func ofMachine(_ places: AppPaths) -> Examination {
        var found = Examination()
        found.add("submit", ProgramVersion.text)
        found.add("swift", "\(_SwiftStdlibVersion.current)")
        var names = utsname()
        uname(&names)
        func text<Tuple>(_ tuple: Tuple) -> String {
            withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let pretty = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12).filter {
            $0 != "\""
        }
        found.add("system", pretty ?? "unknown")
        found.add("kernel", "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))")
        found.add("processors", ProcessInfo.processInfo.activeProcessorCount)
        found.addMemory()
        found.add(
            "open files",
            "\((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0) now, \(limit(RLIMIT_NOFILE))"
        )
        found.add("addresses", limit(RLIMIT_AS))
        found.add("file size", limit(RLIMIT_FSIZE))
        found.add("journal folder", Self.space(places.journal.removingLastComponent()))
        found.add("temporary files", Self.space(FilePath(NSTemporaryDirectory())))
        let time = JSONOutput.time(.now)
        found.add(
            "clock", "\(time), \(TimeZone.current.identifier), \(TimeZone.current.secondsFromGMT() / 60) min from UTC")
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { name in
            places.environment[name].map { "\(name)=\($0)" }
        }
        found.add(
            "locale",
            "\(setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "none") (\(locale.joined(separator: ", ")))")
        let streams = [("input", STDIN_FILENO), ("output", STDOUT_FILENO), ("errors", STDERR_FILENO)]
            .filter { isatty($0.1) == 1 }.map(\.0)
        found.add(
            "terminal",
            "\(streams.isEmpty ? "none" : streams.joined(separator: ", ")), TERM=\(places.environment["TERM"] ?? ""), "
                + "\(Terminal.columns) columns, \(Terminal.hasColor ? "colours" : "no colours")")
        return found
    }

    private mutating func addMemory() {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        func kibibytes(_ name: String) -> Int64 {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int64($0.filter(\.isNumber)) } ?? 0
        }
        let bound = (try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        add(
            "memory",
            "\(Printable.bytes(kibibytes("MemAvailable") << 10)) free of \(Printable.bytes(kibibytes("MemTotal") << 10))"
                + (bound.map { ", of which this group may have \(Int64($0).map { Printable.bytes($0) } ?? "all")" }
                    ?? ""))
    }

    private static func limit(_ resource: __rlimit_resource) -> String {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        func text(_ value: rlim_t) -> String { value == .max ? "unlimited" : "\(value)" }
        return "at most \(text(limit.rlim_cur)) (may be raised to \(text(limit.rlim_max)))"
    }

    /// What is free where a folder is, or is to be made.
    private static func space(_ folder: FilePath) -> String {
        var place = folder
        var status = statfs()
        while place.withPlatformString({ statfs($0, &status) }) != 0 {
            guard errno == ENOENT, place.removeLastComponent() else { return "\(folder): \(Errno(rawValue: errno))" }
        }
        let block = Int64(status.f_frsize > 0 ? status.f_frsize : status.f_bsize)
        // Some say that they have no bound.
        let (bytes, isTooMuch) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: block)
        let free = Printable.bytes(isTooMuch ? .max : bytes)
        let isReadOnly = status.f_flags & 1 != 0
        return "\(folder)\(place == folder ? "" : " (not there yet)"): \(free) free, \(fileSystem(status.f_type))"
            + (isReadOnly ? ", read-only" : "")
    }

    /// Numbers as statfs(2) has them.
    private static func fileSystem(_ type: __fsword_t) -> String {
        let names: [UInt32: String] = [
            0xef53: "ext4", 0x9123_683e: "btrfs", 0x5846_5342: "xfs", 0x0102_1994: "tmpfs", 0x794c_7630: "overlay",
            0x6969: "nfs",
            0xff53_4d42: "cifs", 0xfe53_4d42: "smb", 0x6573_5546: "fuse", 0x2fc1_2fc1: "zfs", 0xf2f5_2010: "f2fs",
            0x4d44: "vfat",
            0x2011_bab0: "exfat", 0x7366_746e: "ntfs3", 0x8584_58f6: "ramfs", 0x0102_1997: "9p",
        ]
        let number = UInt32(truncatingIfNeeded: type)
        return names[number] ?? "file system 0x\(String(number, radix: 16))"
    }
}
