internal import CLinux
internal import Submit
internal import SubmitConfiguration
internal import SubmitPlatform

/// The program `submit-serve`: `submit receive` begins it, in its own place.
package enum ServeProgram {
    /// Works until it is ended.
    ///
    /// - Returns: the exit status, as those of `submit`.
    package static func main(_ arguments: [String]) async -> CInt {
        signal(SIGPIPE, SIG_IGN)
        // The C library makes up to eight arenas a core, of 64 MiB of addresses each.
        mallopt(M_ARENA_MAX, 2)
        setlocale(LC_CTYPE, "")
        guard arguments.count == 3, arguments[1] == "receive", let order = ReceiveOrder(argument: arguments[2]) else {
            StandardError.line("submit-serve: `submit receive` begins it, and `submit receive --help` says how.")
            return 2
        }
        let teller = Teller(isJSON: order.isJSON)
        defer { teller.flush() }
        do throws(SubmitFailure) {
            let service = try ReceiveService(order, teller)
            return try await service.run()
        } catch {
            teller.trouble(error.message, code: error.code)
            return error.remedy == .cancelled ? 130 : 2
        }
    }
}
