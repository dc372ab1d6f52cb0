import CDrawnFiles
import Glibc

/// Photos on a file system of drawn manners. Whoever calls holds its lock, and is past its own manners.
struct DrawnSource {
    static let mostCalls = 3000
    private static let page = 4096

    let manners: Set<SourceManner>
    var troubles: [Int: SourceTrouble]

    var calls = 0
    var complaints: [String] = []
    /// What each file has had, by path.
    private(set) var versions: [String: [[UInt8]]] = [:]
    /// What befell each file, by path.
    private(set) var befell: [String: Set<SourceTrouble>] = [:]
    private var open: [Int32: (path: String, number: UInt)] = [:]
    private var isInterrupted = false
    private var seconds = 1_700_000_001

    init(manners: Set<SourceManner>, troubles: [Int: SourceTrouble]) {
        (self.manners, self.troubles) = (manners, troubles)
    }

    mutating func put(_ content: [UInt8], _ path: String) {
        DrawnDisk.write(content, to: path)
        versions[path, default: []].append(content)
        date(path, seconds)
    }

    private func date(_ path: String, _ seconds: Int) {
        var times = [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 5)]
        utimensat(AT_FDCWD, path, &times, 0)
    }

    // MARK: What a call is told

    mutating func answer(_ call: inout FileCall) -> Int64 {
        switch call.kind {
        case .close:
            open[call.descriptor] = nil
            return drawn_files_perform(&call)
        case .listed, .advise, .sleep, .kind, .birth, .room: return drawn_files_perform(&call)
        default: break
        }
        calls += 1
        if calls > Self.mostCalls {
            if calls == Self.mostCalls + 1 { complaints.append("\(calls) calls") }
            return failure(.EIO)
        }
        let path = path(of: call)
        if let trouble = troubles[calls - 1] {
            befell[path, default: []].insert(trouble)
            if let error = trouble.error { return failure(error) }
            befall(trouble, path)
        }
        switch call.kind {
        case .open: return opened(call, path)
        case .look, .lookOpen:
            let result = drawn_files_perform(&call)
            if result == 0, let status = call.status { tell(status, call) }
            return result
        case .access: return drawn_files_perform(&call)
        case .read: return read(&call, path)
        case .copy, .clone:
            if call.kind == .copy, manners.contains(.copiesNothing) { return 0 }
            if call.kind == .clone, !manners.contains(.clones) { return failure(.EOPNOTSUPP) }
            if !befell[path, default: []].isDisjoint(with: [.badSector, .zeroed]) { return failure(.EINVAL) }
            return drawn_files_perform(&call)
        default:
            complaints.append("an original is touched: \(call.kind.rawValue)")
            return failure(.EROFS)
        }
    }

    private func failure(_ error: FileError) -> Int64 { -Int64(error.rawValue) }

    private func path(of call: FileCall) -> String {
        if let name = call.name { return String(cString: name) }
        return open[[.copy, .clone].contains(call.kind) ? call.source : call.descriptor]?.path ?? ""
    }

    private mutating func opened(_ call: FileCall, _ path: String) -> Int64 {
        let changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC
        if call.flags & changes != 0 { complaints.append("an original is opened for writing") }
        if befell[path]?.contains(.forbidden) == true { return failure(.EACCES) }
        var call = call
        let result = drawn_files_perform(&call)
        if result >= 0 { open[Int32(result)] = (path, UInt(calls)) }
        return result
    }

    private func tell(_ status: UnsafeMutableRawPointer, _ call: FileCall) {
        let status = status.assumingMemoryBound(to: stat.self)
        guard status.pointee.st_mode & S_IFMT == S_IFREG else { return }
        if manners.contains(.coarseTimes) {
            status.pointee.st_mtim = timespec(tv_sec: status.pointee.st_mtim.tv_sec & ~1, tv_nsec: 0)
        }
        if manners.contains(.numbersAnew) {
            status.pointee.st_ino += (call.name == nil ? open[call.descriptor]?.number ?? 0 : UInt(calls)) << 32
        }
        if manners.contains(.tellsNothing) { status.pointee.st_size = 0 }
        if manners.contains(.tellsLess) { status.pointee.st_size /= 2 }
        if manners.contains(.tellsMore) { status.pointee.st_size += 4096 }
    }

    private mutating func read(_ call: inout FileCall, _ path: String) -> Int64 {
        if manners.contains(.interrupts) {
            isInterrupted.toggle()
            if isInterrupted { return failure(.EINTR) }
        }
        if manners.contains(.readsShort), call.count > 1 { call.count /= 2 }
        if befell[path]?.contains(.badSector) == true {
            let bad = Int64(versions[path]?.last?.count ?? 0) / 2
            if call.offset >= bad { return failure(.EIO) }
            call.count = min(call.count, Int(bad - call.offset))
        }
        let result = drawn_files_perform(&call)
        if result > 0, befell[path]?.contains(.zeroed) == true || troubles[calls - 1] == .zeroedOnce {
            if call.offset < Self.page { memset(call.bytes, 0, min(Int(result), Self.page - Int(call.offset))) }
        }
        return result
    }

    // MARK: What befalls a file

    private mutating func befall(_ trouble: SourceTrouble, _ path: String) {
        guard let now = versions[path]?.last, access(path, F_OK) == 0 else { return }
        // Past the beginning, by which its type is known.
        var other = now
        for index in stride(from: 4, to: other.count, by: 97) { other[index] ^= 0x5a }
        seconds += 1
        switch trouble {
        case .shrinks: rewrite(path, Array(now.prefix(now.count / 2)), seconds)
        case .grows: rewrite(path, now + [1, 2, 3], seconds)
        case .rewritten: rewrite(path, other, seconds)
        case .rewrittenSilently:
            var status = stat()
            lstat(path, &status)
            rewrite(path, other, status.st_mtim.tv_sec)
        case .touched: date(path, seconds)
        case .replaced:
            put(other, path + ".new")
            versions[path, default: []].append(other)
            rename(path + ".new", path)
        case .vanishes: rename(path, path + ".gone")
        case .zeroed:
            let page = min(now.count, Self.page)
            versions[path, default: []].append([UInt8](repeating: 0, count: page) + now.dropFirst(page))
        default: break
        }
    }

    /// In place: who has it open sees it.
    private mutating func rewrite(_ path: String, _ content: [UInt8], _ seconds: Int) {
        DrawnDisk.write(content, to: path)
        versions[path, default: []].append(content)
        date(path, seconds)
    }
}
