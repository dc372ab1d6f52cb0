// swift-tools-version: 6.1
import PackageDescription

/// What the package of submit is called.
let submit = "SUBMIT-IDENTITY"

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "submit-to-acme",
    products: [.executable(name: "submit-to-acme", targets: ["submit-to-acme"])],
    dependencies: [.package(path: "SUBMIT-PLACE")],
    targets: [
        .target(
            name: "AcmeSubmitter",
            dependencies: [
                .product(name: "Submit", package: submit), .product(name: "SubmitDigest", package: submit),
                .product(name: "SubmitTransfer", package: submit),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "submit-to-acme",
            dependencies: ["AcmeSubmitter", .product(name: "SubmitPlugin", package: submit)], swiftSettings: settings),
        .testTarget(
            name: "AcmeSubmitterTests",
            dependencies: ["AcmeSubmitter", .product(name: "SubmitTesting", package: submit)], swiftSettings: settings),
    ]
)
