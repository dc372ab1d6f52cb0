import ArgumentParser
import Testing

@testable import SubmitCommand

@Suite struct `Each verb` {
    /// Found by its type, a name costs more than all else that is done before a photo is looked at.
    @Test func `says its own name`() {
        func nameless(_ type: any ParsableCommand.Type) -> [String] {
            (type.configuration.commandName == nil ? [String(describing: type)] : [])
                + type.configuration.subcommands.flatMap(nameless)
        }
        #expect(nameless(SubmitCommand.self) == [])
    }
}
