internal import Submit
internal import SubmitPrograms

/// Albums as a program lists them. The program that sends makes what is missing.
struct CommandAlbums: AlbumFacet {
    let destination: String
    let list: CommandLineTemplate
    let life: Duration

    func list() async throws(SubmitFailure) -> [String] {
        let end = try await ProgramCall(
            list.program, list.arguments([:]), environment: [:], inheritsEnvironment: true, longestOutput: 16 << 20,
            life: life
        ).run()
        guard end.status == .exited(0), !end.isCut else {
            let said = ForeignText.lastLine(of: end.complaint).map { ": “\($0)”" } ?? ""
            throw SubmitFailure(
                .retry(after: nil), code: "albums",
                message: "\(list.program) did not list the albums of \(destination)\(said).")
        }
        return String(decoding: end.output, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }

    func create(_ album: String) async throws(SubmitFailure) {}
}
