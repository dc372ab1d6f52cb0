import Foundation
import SubmitConcurrency
import TestServers

extension CredentialKind {
    /// A `submit` with the destination `place`, and whether its server gave anything back.
    func place(_ echo: Echo) throws -> (Submit, ScriptedServer, Locked<Bool>) {
        let said = Locked(false)
        let url = Locked("")
        let server = ScriptedServer.answering { request in
            if let answer = before(request, url.withLock { $0 }) { return answer }
            said.withLock { $0 = true }
            return answer(echo.text(of: secrets, request))
        }
        url.withLock { $0 = server.endpoint }
        let submit = Submit(environment)
        let home = submit.folder.path + "/"
        func filled(_ text: String) -> String {
            text.replacing("HOME/", with: home).replacing("URL", with: server.endpoint)
                .replacing("ADDRESS", with: "127.0.0.1:\(server.port)").replacing("ECHO", with: echo.python)
        }
        try submit.configure("secrets: file\n" + filled("\(top)destinations:\n  place:\n    \(settings)\n"))
        if !kept.isEmpty {
            let lines = kept.map { "  \($0.key): \"\($0.value)\"\n" }.joined()
            try submit.folder.write("place:\n\(lines)", to: "config/submit/secrets.yaml")
            chmod(submit.secrets, 0o600)
        }
        for (path, text) in files {
            try submit.folder.folder((path as NSString).deletingLastPathComponent)
            try submit.folder.write(filled(text), to: path)
        }
        if let program = program {
            try submit.folder.folder((program.path as NSString).deletingLastPathComponent)
            try submit.folder.write(filled(program.text), to: program.path)
            chmod(submit.folder.path(program.path), 0o755)
        }
        return (submit, server, said)
    }
}
