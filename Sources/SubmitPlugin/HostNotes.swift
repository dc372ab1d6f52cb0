internal import Submit
internal import SubmitPluginProtocol

/// Notes that the host keeps.
struct HostNotes: DestinationNotes {
    let questions: Questions

    func read(_ topic: String) async -> [UInt8]? {
        await questions.ask(.note(topic: topic)).text.map(CheckpointText.bytes)
    }

    func write(_ topic: String, _ note: [UInt8]?) async {
        let text = note.map(CheckpointText.text)
        // One that is too long is lost, as the contract allows, and what it was to replace with it.
        _ = await questions.ask(.keepNote(topic: topic, text ?? nil))
    }
}
