internal import CDesktopLibraries
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitCurl
internal import SubmitJournal
internal import SubmitPictures
internal import SubmitPluginHost
internal import SubmitPrograms
internal import SubmitXML
internal import SystemPackage

extension Examination {
    /// Libraries, those that need not be there too, with their versions as far as they tell.
    static func ofLibraries() -> Examination {
        var found = Examination()
        found.add("libcurl", CurlLibrary.version)
        found.add("libcurl features", .list(CurlLibrary.features))
        found.add("SQLite", JournalExamination.sqlite)
        found.add("libxml2", XMLLibrary.version)
        let media = MediaProgram()
        let confinement = media.isConfined == false ? ", but this kernel cannot keep it from all but its work" : ""
        found.add("submit-media", media.unavailable ?? "ready, with libvips\(confinement)")
        found.add("libsecret", submit_keyring_library_error().map { String(cString: $0) } ?? "there")
        var width: CInt = 0
        let code = submit_qr_code("submit", &width)
        found.add("libqrencode", code == nil ? "not there" : "there")
        free(code)
        found.add("libsixel", submit_sixel_is_there() == 0 ? "not there" : "there")
        found.add("loaded", .list(loaded))
        return found
    }

    /// The files of the libraries that count: their names tell the versions of those that do not.
    private static var loaded: [String] {
        guard let file = try? FileDescriptor.open("/proc/self/maps", .readOnly, options: [.closeOnExec]) else {
            return []
        }
        defer { try? file.close() }
        let maps = String(decoding: (try? WholeFile.bytes(of: file)) ?? [], as: UTF8.self)
        let wanted = [
            "libcurl", "libxml2", "libsqlite3", "libisal", "libsecret", "libqrencode", "libsixel",
            "libssl", "libgnutls",
            "libnghttp2", "libc.", "libswiftCore",
        ]
        let files = maps.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").flatMap { FilePath(String(line[$0...])).lastComponent?.string }
        }
        return Set(files).filter { file in wanted.contains(where: file.hasPrefix) }.sorted()
    }

    /// Programs that are submitters, and those that bridges run.
    ///
    /// - Parameter isAsking: starts them, to be told what they are.
    static func ofPrograms(_ places: AppPaths, _ catalog: DestinationCatalog?, isAsking: Bool) async -> Examination {
        var found = Examination()
        let programs = ExternalPrograms(in: places.programFolders)
        for program in programs.programs {
            var words = "\(program.path)"
            if isAsking, let catalog {
                do throws(SubmitFailure) {
                    words += ": \(try catalog.types.type(of: program).summary)"
                } catch {
                    words += ": \(error.message)"
                    found.troubles.append(error.message)
                }
            }
            found.add("submit-to-\(program.name)", words)
        }
        for unused in programs.unused { found.add("submit-to-\(unused.program.name), not used", unused.reason) }
        // Without a file of its own rclone makes a folder for one.
        let asked = [
            ("rclone", ["version", "--config", "/dev/null"]), ("git-annex", ["version", "--raw"]),
            ("git", ["--version"]), ("ffmpeg", ["-version"]),
        ]
        for (program, arguments) in asked {
            found.add(program, await version(program, arguments, InheritedEnvironment(places.environment)))
        }
        return found
    }

    private static func version(
        _ program: String, _ arguments: [String], _ environment: InheritedEnvironment
    ) async -> String {
        do throws(SubmitFailure) {
            let end = try await ProgramCall(
                program, arguments, environment: environment.given(to: program), longestOutput: 4096, life: .seconds(5)
            ).run()
            let line = String(decoding: end.output, as: UTF8.self).split(separator: "\n").first
            return line.map(String.init) ?? "says nothing of its version"
        } catch {
            return error.code == "program-missing" ? "not there" : error.message
        }
    }
}
