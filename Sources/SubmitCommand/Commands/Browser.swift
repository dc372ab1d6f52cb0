internal import Foundation

/// The desktop's browser.
enum Browser {
    /// Whether there is a desktop, and someone at the terminal who sees it.
    static var isThere: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false } && isatty(STDOUT_FILENO) == 1
    }

    /// Opens a page where there is a desktop; says nothing where that fails.
    static func open(_ url: String) {
        guard isThere, url.hasPrefix("https://") || url.hasPrefix("http://") else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // It outlives us, hears signals that we hold back, and is not meant by Ctrl-C.
        process.arguments = ["--default-signal", "setsid", "--fork", "xdg-open", url]
        // Not with our secrets.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SUBMIT_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
