internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// A login whose answer is a code.
struct CodeAttempt: LoginAttempt {
    let prompt: LoginPrompt
    let authorization: OAuth2Authorization
    let exchange: OAuth2Exchange
    let completion: OAuth2Completion

    /// Nothing can be seen of it from here.
    func poll() async throws(SubmitFailure) -> LoginProgress { .pending(after: .seconds(1)) }

    func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress {
        let code: String
        do throws(OAuth2Authorization.Refusal) {
            code =
                switch answer {
                case .redirected(let url): try authorization.code(redirected: url)
                case .pasted(let text): try authorization.code(pasted: text)
                case .typed: throw .foreign("This is no code")
                }
        } catch {
            throw completion.failure(error)
        }
        let grant: OAuth2Grant
        do throws(OAuthFault) {
            grant = try await exchange.tokens(code: code, authorization)
        } catch {
            throw completion.failure(error)
        }
        return .done(try await completion.grant(grant))
    }
}

/// A login whose code is typed on another device.
struct DeviceAttempt: LoginAttempt {
    let prompt: LoginPrompt
    private let device: DeviceAuthorization
    private let exchange: OAuth2Exchange
    private let completion: OAuth2Completion
    /// How many seconds to let pass between two looks. It only ever grows.
    private let interval: Locked<Int>

    /// The longest that it grows to.
    private static let longest = 300

    init(_ device: DeviceAuthorization, exchange: OAuth2Exchange, completion: OAuth2Completion) {
        self.device = device
        self.exchange = exchange
        self.completion = completion
        interval = Locked(device.interval)
        prompt = LoginPrompt(
            .typeCode(LoginCode(code: device.userCode, url: device.url, completeURL: device.completeURL)),
            life: .seconds(device.seconds))
    }

    func poll() async throws(SubmitFailure) -> LoginProgress {
        let grant: OAuth2Grant
        do throws(OAuthFault) {
            grant = try await exchange.tokens(device)
        } catch {
            return try pending(error)
        }
        return .done(try await completion.grant(grant))
    }

    /// RFC 8628, section 3.5.
    private func pending(_ fault: OAuthFault) throws(SubmitFailure) -> LoginProgress {
        switch fault {
        case .refused("authorization_pending", _): break
        case .refused("slow_down", _): interval.withLock { $0 = min($0 + 5, Self.longest) }
        case .transport(.stalled), .transport(.cannotConnect), .transport(.broken), .transport(.throttled):
            interval.withLock { $0 = min($0 * 2, Self.longest) }
        case .trouble(_, let after):
            let asked = min(after ?? .zero, .seconds(3600))
            interval.withLock { $0 = min($0 * 2, Self.longest) }
            return .pending(after: max(asked, .seconds(interval.withLock { $0 })))
        default: throw completion.failure(fault)
        }
        return .pending(after: .seconds(interval.withLock { $0 }))
    }
}

/// A login for which nobody has to do anything.
struct ClientAttempt: LoginAttempt {
    let exchange: OAuth2Exchange
    let completion: OAuth2Completion

    var prompt: LoginPrompt { LoginPrompt(.nothing, life: OAuth2Login.patience) }

    func poll() async throws(SubmitFailure) -> LoginProgress {
        let grant: OAuth2Grant
        do throws(OAuthFault) {
            grant = try await exchange.tokensOfClient()
        } catch {
            throw completion.failure(error)
        }
        return .done(try await completion.grant(grant))
    }
}

extension CodeAttempt: CustomStringConvertible, CustomReflectable {
    var description: String { "login at \(authorization)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension DeviceAttempt: CustomStringConvertible, CustomReflectable {
    var description: String { "login by device" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientAttempt: CustomStringConvertible, CustomReflectable {
    var description: String { "login of the application" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
