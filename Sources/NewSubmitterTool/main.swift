internal import Foundation
internal import Submit
internal import SubmitScaffold

// Called by the command plug-in `new-submitter` as: PACKAGE-FOLDER NAME
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let package = arguments.first, let text = arguments.last, !text.hasPrefix("-") else {
    StandardError.line("usage: swift package --allow-writing-to-package-directory new-submitter NAME")
    exit(2)
}
do throws(SubmitFailure) {
    let name = try SubmitterName(text)
    let made = try PackageSubmitter(name, package: package)
    print(
        """
        Made \(made.folders.joined(separator: " and ")), and wrote “\(name.type)” down in \
        \(made.registrations.joined(separator: " and ")).
        It works at once, on a folder that plays \(name.swift):
          swift test --filter \(name.swift)ContractTests
        Fill the six holes: grep -n HOLE \(made.folders[0])/*.swift
        """)
} catch {
    StandardError.line("new-submitter: \(error.message)")
    exit(error.code == "usage" ? 2 : 1)
}
