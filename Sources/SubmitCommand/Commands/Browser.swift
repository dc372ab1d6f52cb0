internal import Foundation

/// The desktop's browser.
enum Browser {
    /// Opens a page where there is a desktop and someone at the terminal who sees it; says nothing where that fails.
    static func open(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        guard hasDesktop, isatty(STDOUT_FILENO) == 1, url.hasPrefix("https://") || url.hasPrefix("http://") else {
            return
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // It outlives us, hears signals that we hold back, and is not meant by Ctrl-C.
        process.arguments = ["--default-signal", "setsid", "--fork", "xdg-open", url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
