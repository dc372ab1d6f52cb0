/// The templates, as they stand in `Templates`, inside of the program.
enum TemplateFiles {
    /// A submitter in Swift: what goes into the folder of its target.
    static let submitter: [(name: String, bytes: [UInt8])] = [
        ("AcmeSubmitter.swift", PackageResources.AcmeSubmitter_swift),
        ("AcmeService.swift", PackageResources.AcmeService_swift),
        ("StandIn.swift", PackageResources.StandIn_swift),
    ]

    /// Its tests.
    static let tests: [(name: String, bytes: [UInt8])] = [
        ("AcmeContractTests.swift", PackageResources.AcmeContractTests_swift)
    ]

    /// What stands around it in a package of its own.
    static let swiftProject: [(name: String, bytes: [UInt8])] = [
        ("Package.swift", PackageResources.Manifest_swift),
        ("Sources/submit-to-acme/main.swift", PackageResources.main_swift),
        ("README.md", PackageResources.Swift_md),
        ("test", PackageResources.swift_test),
        ("faults", PackageResources.program_faults),
        (".gitignore", Array(".build/\n".utf8)),
    ]

    static let pythonProject =
        [("submit-to-acme", PackageResources.submit_to_acme_py)] + aroundPython

    static let pythonPostProject =
        [("submit-to-acme", PackageResources.submit_to_acme_post_py)] + aroundPython

    private static let aroundPython: [(name: String, bytes: [UInt8])] = [
        ("submit_protocol.py", PackageResources.submit_protocol_py),
        ("README.md", PackageResources.Python_md),
        ("test", PackageResources.program_test),
        ("faults", PackageResources.program_faults),
        (".gitignore", Array("__pycache__/\n".utf8)),
    ]

    static let shellProject: [(name: String, bytes: [UInt8])] = [
        ("submit-to-acme", PackageResources.submit_to_acme_sh),
        ("protocol.sh", PackageResources.protocol_sh),
        ("README.md", PackageResources.Shell_md),
        ("test", PackageResources.program_test),
        ("faults", PackageResources.program_faults),
    ]
}
