internal import Foundation
internal import SubmitPrograms

/// The desktop's browser.
enum Browser {
    /// Whether there is a desktop, and someone at the terminal who sees it.
    static var isThere: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
            && isatty(STDOUT_FILENO) == 1
    }

    /// Opens a page where there is a desktop; says nothing where that fails.
    static func open(_ url: String) {
        guard isThere, url.hasPrefix("https://") || url.hasPrefix("http://") else { return }
        // It outlives us, and is not meant by Ctrl-C.
        // By these xdg-open(1) finds out which one it is.
        let desktop: Set<String> = ["BROWSER", "DESKTOP_SESSION", "KDE_FULL_SESSION", "KDE_SESSION_VERSION"]
        let environment = InheritedEnvironment(ProcessInfo.processInfo.environment, passing: ["xdg-open": desktop])
        let call = ProgramCall(
            "setsid", ["--fork", "xdg-open", url], environment: environment.given(to: "xdg-open"))
        Task { try? await call.leave() }
    }
}
