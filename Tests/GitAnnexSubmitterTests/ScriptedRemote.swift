import Foundation
import Submit
import SubmitTesting
import TestServers

@testable import GitAnnexSubmitter

/// A remote that does what a shell script says.
struct ScriptedRemote {
    let folder = TemporaryFolder()
    let notes = TransientNotes()
    let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
    var item: MediaItem { bytes.item(named: "photo.jpg") }
    var context: SubmissionContext { SubmissionContext(submission: "s-1") }

    /// - Parameter cases: of a `case` on the request's first word, which go before a remote's that stores in a folder.
    init(begins: String = "echo VERSION 1", _ cases: String = "") throws {
        try folder.folder("stored")
        try folder.write(
            """
            #!/bin/sh
            cd '\(folder.path)'
            echo start >> starts
            ask() { echo "$@"; IFS= read -r answer; echo "$answer" >> answers; }
            \(begins)
            while IFS= read -r line; do
                echo "$line" >> requests
                set -- $line
                case "$1" in
                \(cases)
                EXTENSIONS) echo EXTENSIONS INFO ;;
                EXPORTSUPPORTED) echo EXPORTSUPPORTED-SUCCESS ;;
                INITREMOTE) echo INITREMOTE-SUCCESS ;;
                PREPARE) echo PREPARE-SUCCESS ;;
                EXPORT) name=$2 ;;
                TRANSFEREXPORT)
                    if [ "$2" = STORE ]; then cp "$4" "stored/$name"; else cp "stored/$name" "$4"; fi
                    echo "TRANSFER-SUCCESS $2 $3" ;;
                CHECKPRESENTEXPORT)
                    if [ -e "stored/$name" ]; then echo "CHECKPRESENT-SUCCESS $2"; else echo "CHECKPRESENT-FAILURE $2"; fi ;;
                REMOVEEXPORT) rm -f "stored/$name"; echo "REMOVE-SUCCESS $2" ;;
                *) echo UNSUPPORTED-REQUEST ;;
                esac
            done
            """, to: "remote")
        chmod(folder.path("remote"), 0o755)
    }

    func submitter(_ values: [String: String] = [:]) throws -> any Submitter {
        try GitAnnexSubmitter.submitterType().make(
            DestinationSettings(
                destination: "annex",
                values: ["externaltype": folder.path("remote"), "user": "alice", "timeout": "5"].merging(values) { $1 },
                secrets: ["password": "s3cr3t words"], notes: notes))
    }

    func submit(_ values: [String: String] = [:]) async throws -> Receipt {
        try await submitter(values).submit(item, bytes: bytes, context: context)
    }

    func failure(_ values: [String: String] = [:]) async throws -> SubmitFailure? {
        do {
            _ = try await submit(values)
            return nil
        } catch let failure as SubmitFailure {
            return failure
        }
    }

    func lines(_ name: String) throws -> [String] { try folder.text(name).split(separator: "\n").map(String.init) }
}
