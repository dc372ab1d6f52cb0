internal import FoundationEssentials
public import Submit

/// A project of its own that makes a program `submit-to-<type>`.
public struct StandAloneProject: Sendable {
    /// What it is written in.
    public enum Language: String, Sendable, CaseIterable {
        case swift, python
        /// Python, for a service that takes a photo by one POST and shows it at once.
        case pythonPost = "python-post"
        case sh
    }

    /// The project's folder.
    public let folder: String
    /// The files in it, by their paths below it.
    public let files: [String]

    /// Makes it: complete, and doing its work on a stand-in.
    ///
    /// - Parameters:
    ///   - directory: where its folder `submit-to-<type>` is made.
    ///   - submit: the package that a Swift project is built with.
    /// - Throws: a failure when there is such a folder already, or it cannot be made. Then nothing was changed.
    public init(
        _ name: SubmitterName, in language: Language, at directory: String, with submit: SubmitPackage?
    ) throws(SubmitFailure) {
        let folder = "\(directory)/submit-to-\(name.type)"
        var new = NewFiles()
        switch language {
        case .swift:
            guard let submit else {
                throw SubmitFailure(
                    .giveUp, code: "no-package",
                    message:
                        "A submitter in Swift is built with the package of submit: say where that is, a path or a URL."
                )
            }
            new.add(TemplateFiles.swiftProject, to: folder, for: name)
            new.add(TemplateFiles.submitter, to: "\(folder)/Sources/\(name.swift)Submitter", for: name)
            new.add(TemplateFiles.tests, to: "\(folder)/Tests/\(name.swift)SubmitterTests", for: name)
            new.replace(".package(path: \"SUBMIT-PLACE\")", with: submit.dependency)
            new.replace("SUBMIT-IDENTITY", with: submit.identity)
        case .python: new.add(TemplateFiles.pythonProject, to: folder, for: name)
        case .pythonPost: new.add(TemplateFiles.pythonPostProject, to: folder, for: name)
        case .sh: new.add(TemplateFiles.shellProject, to: folder, for: name)
        }
        try new.write(in: [folder])
        self.folder = folder
        files = new.files.map { String($0.path.dropFirst(folder.count + 1)) }.sorted()
    }
}
