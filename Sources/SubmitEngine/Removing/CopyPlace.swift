internal import Foundation
internal import Submit
internal import SubmitStore
internal import SystemPackage

/// Where a copy lies: two destinations may be one place.
struct CopyPlace: Hashable {
    /// What tells it from others: a file by what it is on disk, since links lead to one file by many names.
    let name: String
    /// The file system it is on; `nil` where it is no file of this machine.
    let device: UInt64?

    init(of receipt: Receipt, at destination: String) {
        guard let url = receipt.url else {
            (name, device) = ("\(destination)\0\(receipt.remoteID)", nil)
            return
        }
        guard url.hasPrefix("file://"), let path = URL(string: url)?.path(percentEncoded: false),
            let status = try? FileStatus.of(FilePath(path), followsLinks: true)
        else {
            (name, device) = (url, nil)
            return
        }
        (name, device) = ("file \(status.device) \(status.inode)", status.device)
    }

    /// Whether it is on the disk of a source: of a link the one that it is on itself, and not that of what it leads to.
    func isBeside(_ source: FilePath, _ identity: SourceIdentity) -> Bool {
        let folder = try? FileStatus.of(source.removingLastComponent(), followsLinks: true)
        return device == folder?.device ?? identity.device
    }
}
