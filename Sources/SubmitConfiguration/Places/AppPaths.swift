internal import Foundation
internal import SubmitPluginHost
public import SystemPackage

/// Where configuration and state lie (XDG Base Directory Specification 0.8).
public struct AppPaths: Sendable {
    /// The environment variables that say so, and that set settings and secrets of destinations.
    public let environment: [String: String]

    /// The places of this process's user.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    /// The places that some environment variables say. Without `HOME`: below the home folder of this process's user.
    public init(environment: [String: String]) {
        self.environment = environment
    }

    /// The user's home folder.
    public var home: FilePath {
        FilePath(environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory())
    }

    /// The file of the configuration.
    public var configuration: FilePath { folder("XDG_CONFIG_HOME", ".config").appending("config.yaml") }
    /// The file of the secrets.
    public var secrets: FilePath { folder("XDG_CONFIG_HOME", ".config").appending("secrets.yaml") }
    /// The file of the journal.
    public var journal: FilePath { folder("XDG_STATE_HOME", ".local/state").appending("journal.sqlite") }
    /// The folder of thumbnails, which can be made anew.
    public var thumbnails: FilePath { folder("XDG_CACHE_HOME", ".cache").appending("thumbnails") }

    /// The folder of what receiving keeps: its certificate, and the port it was found at.
    public var receiving: FilePath { folder("XDG_DATA_HOME", ".local/share").appending("receive") }

    /// Where programs that are submitters are looked for: the plug-in folder, beside this program, and `PATH`.
    public var programFolders: [FilePath] {
        var folders = [base("XDG_DATA_HOME", ".local/share").appending("submit/plugins")]
        if let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.append(FilePath(program).removingLastComponent())
        }
        return folders + ExternalPrograms.folders(ofPath: environment["PATH"] ?? "")
    }

    /// The user's pictures, by xdg-user-dirs(1) or else `~/Pictures`.
    public var pictures: FilePath {
        let file = base("XDG_CONFIG_HOME", ".config").appending("user-dirs.dirs")
        let text = (try? String(contentsOfFile: file.string, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("XDG_PICTURES_DIR=") {
            let value = line.dropFirst("XDG_PICTURES_DIR=".count).filter { $0 != "\"" }
            return FilePath(value.replacingOccurrences(of: "$HOME", with: home.string))
        }
        return home.appending("Pictures")
    }

    /// The folder of the destination `file` if nobody sets another one. It lies outside the folders that people send.
    public var copies: FilePath { home.appending("Submitted") }

    /// A path as people write it, with their home folder in place of `~`.
    public func expanded(_ path: String) -> String {
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

extension AppPaths: CustomReflectable {
    /// Without the environment, which may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration.string, "journal": journal.string])
    }
}
