internal import Foundation
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// What the kernel tells of folders: inotify(7), one watch for each.
///
/// Belongs to one task at a time.
final class DirectoryNotices {
    /// What happened.
    enum Notice {
        /// Something of that name may be whole now: it was closed, moved here, or its permissions changed.
        case file(FilePath)
        /// A folder came to be here.
        case folder(FilePath)
        /// It is no longer here.
        case gone(FilePath, isFolder: Bool)
        /// A watched folder itself is no longer where it was.
        case folderGone(FilePath)
        /// More happened than could be told.
        case overflow
    }

    private let descriptor: CInt
    private let source: any DispatchSourceRead
    /// What is there to be taken is told of once until it is.
    private let isTold = Locked(false)
    private var folders: [CInt: FilePath] = [:]
    private var watches: [FilePath: CInt] = [:]
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    private static let events =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
        | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | onlyFolder
    /// `IN_ONLYDIR`, `IN_ISDIR`, `IN_IGNORED`, `IN_Q_OVERFLOW` and `IN_UNMOUNT` of inotify.h.
    private static let onlyFolder: UInt32 = 0x0100_0000
    private static let isFolder: UInt32 = 0x4000_0000
    private static let ignored: UInt32 = 0x8000
    private static let overflow: UInt32 = 0x4000
    private static let unmounted: UInt32 = 0x2000

    /// - Parameter ring: called on any thread when there is something to take.
    /// - Returns: `nil` where the system has no more of these (`fs.inotify.max_user_instances`).
    init?(_ ring: @escaping @Sendable () -> Void) {
        descriptor = inotify_init1(CInt(0o2000000 | 0o4000))
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        nonisolated(unsafe) let told = source
        source.setEventHandler { [isTold] in
            isTold.withLock { isTold in
                if isTold { return }
                isTold = true
                told.suspend()
            }
            ring()
        }
        let descriptor = descriptor
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit {
        source.cancel()
        goOn()
    }

    private func goOn() {
        isTold.withLock { isTold in
            if isTold { source.resume() }
            isTold = false
        }
    }

    /// - Returns: false where the system watches no more (`fs.inotify.max_user_watches`); true also for what is no folder.
    func watch(_ folder: FilePath) -> Bool {
        let watch = folder.withPlatformString { inotify_add_watch(descriptor, $0, Self.events) }
        guard watch >= 0 else { return errno != ENOSPC }
        if let old = folders[watch] { watches[old] = nil }
        folders[watch] = folder
        watches[folder] = watch
        return true
    }

    /// Forgets a folder and what is below it.
    func forget(_ folder: FilePath) {
        for (path, watch) in watches where path.starts(with: folder) {
            inotify_rm_watch(descriptor, watch)
            watches[path] = nil
            folders[watch] = nil
        }
    }

    /// What has happened since the last time.
    func take() -> [Notice] {
        defer { goOn() }
        var notices: [Notice] = []
        while notices.count < Self.most {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return notices }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + 16 <= count {
                    let watch = bytes.loadUnaligned(fromByteOffset: offset, as: CInt.self)
                    let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    let name = UnsafeRawBufferPointer(rebasing: bytes[(offset + 16)..<(offset + 16 + length)])
                    offset += 16 + length
                    if let notice = notice(watch, mask, name) { notices.append(notice) }
                }
            }
        }
        return notices
    }

    /// At once; the rest is there to be taken the next time.
    private static let most = 4096

    private func notice(_ watch: CInt, _ mask: UInt32, _ name: UnsafeRawBufferPointer) -> Notice? {
        func has(_ bits: UInt32) -> Bool { mask & bits != 0 }
        if has(Self.overflow) { return .overflow }
        guard let folder = folders[watch] else { return nil }
        if has(Self.ignored) {
            folders[watch] = nil
            if watches[folder] == watch { watches[folder] = nil }
            return nil
        }
        if has(UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | Self.unmounted) { return .folderGone(folder) }
        guard let component = component(name) else { return nil }
        let path = folder.appending(component)
        if has(UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)) { return .gone(path, isFolder: has(Self.isFolder)) }
        if has(Self.isFolder) { return has(UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)) ? .folder(path) : nil }
        return .file(path)
    }

    private func component(_ name: UnsafeRawBufferPointer) -> FilePath.Component? {
        guard let base = name.baseAddress, name.contains(0) else { return nil }
        return FilePath.Component(platformString: base.assumingMemoryBound(to: CInterop.PlatformChar.self))
    }
}
