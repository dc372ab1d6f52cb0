internal import Foundation
internal import SubmitPluginHost
internal import SystemPackage

/// Where configuration and state lie (XDG Base Directory Specification 0.8).
struct Places: Sendable {
    let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    var home: FilePath {
        FilePath(environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory())
    }

    var configuration: FilePath { folder("XDG_CONFIG_HOME", ".config").appending("config.yaml") }
    var secrets: FilePath { folder("XDG_CONFIG_HOME", ".config").appending("secrets.yaml") }
    var journal: FilePath { folder("XDG_STATE_HOME", ".local/state").appending("journal.sqlite") }

    /// Where programs that are submitters are looked for: the plug-in folder, beside this program, and `PATH`.
    var programFolders: [FilePath] {
        var folders = [base("XDG_DATA_HOME", ".local/share").appending("submit/plugins")]
        if let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.append(FilePath(program).removingLastComponent())
        }
        return folders + ExternalPrograms.folders(ofPath: environment["PATH"] ?? "")
    }

    /// The user's pictures, by xdg-user-dirs(1) or else `~/Pictures`.
    var pictures: FilePath {
        let file = base("XDG_CONFIG_HOME", ".config").appending("user-dirs.dirs")
        let text = (try? String(contentsOfFile: file.string, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("XDG_PICTURES_DIR=") {
            let value = line.dropFirst("XDG_PICTURES_DIR=".count).filter { $0 != "\"" }
            return FilePath(value.replacingOccurrences(of: "$HOME", with: home.string))
        }
        return home.appending("Pictures")
    }

    /// A path as people write it, with their home folder in place of `~`.
    func expanded(_ path: String) -> String {
        path == "~" || path.hasPrefix("~/") ? home.string + path.dropFirst() : path
    }

    private func folder(_ variable: String, _ fallback: String) -> FilePath {
        base(variable, fallback).appending("submit")
    }

    /// The specification has relative paths ignored.
    private func base(_ variable: String, _ fallback: String) -> FilePath {
        if let path = environment[variable], path.hasPrefix("/") { return FilePath(path) }
        return home.pushing(FilePath(fallback))
    }
}
