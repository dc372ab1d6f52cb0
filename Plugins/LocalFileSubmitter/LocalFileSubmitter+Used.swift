internal import FoundationEssentials
internal import Submit
internal import SubmitPlatform

extension LocalFileSubmitter {
    /// Whether a folder was a destination's own before.
    ///
    /// - Parameters:
    ///   - folder: its absolute path.
    ///   - noted: the destination's note on a topic.
    /// - Returns: `nil` if neither the folder nor the notes tell.
    public static func hasUsed(_ folder: String, noted: (_ topic: String) -> [UInt8]?) -> Bool? {
        if access("\(folder)/\(FolderMark.name)", F_OK) == 0 { return true }
        let homes = RememberedFolder.homes(in: noted(RememberedFolder.topic))
        return homes.isEmpty ? nil : homes.contains { $0.path == folder }
    }
}
