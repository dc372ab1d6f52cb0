import Foundation
import Submit
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import SystemPackage

/// Sends each file that is named on standard input to the default destinations of the user's configuration, and whatever else
/// is waiting, until it gets SIGTERM.
@main enum EmbeddedService {
    static func main() async throws {
        let journal = try Journal(path: AppPaths().journal)
        let catalog = try DestinationCatalog(program: ProgramIdentity("albums", version: "1.0"), journal: journal)
        let manager = SubmitManager(store: journal.store, registry: catalog.types.registry)
        for name in try catalog.defaults() { manager.add(try catalog.destination(name)) }
        let destinations = manager.destinations.map(\.name)
        manager.listen { event in
            switch event {
            case .done(let note, let receipt):
                print("done: \(note.item.name) → \(note.destination): \(receipt.evidence)")
            case .failed(let note, let failure): print("failed: \(note.item.name): \(failure.message)")
            case .refused(_, _, let failure): print("refused: \(failure.message)")
            default: break
            }
        }

        let service = Task { try await manager.run() }
        signal(SIGTERM, SIG_IGN)
        let end = DispatchSource.makeSignalSource(signal: SIGTERM)
        end.setEventHandler { service.cancel() }
        end.resume()
        Thread.detachNewThread {
            while let path = readLine() {
                let request = SubmitRequest(paths: [FilePath(path)], destinations: destinations)
                Task { _ = try await manager.accept(request) }
            }
        }
        try await service.value
    }
}
