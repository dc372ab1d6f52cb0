// swift-tools-version: 6.1
import PackageDescription

/// What is fuzzed, compiled by itself with libFuzzer's and AddressSanitizer's instruments. The sources are links to
/// those of the package above, and only to what reading XML needs: no dependency is fetched or built.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let package = Package(
    name: "fuzz",
    products: [.executable(name: "fuzz-xml", targets: ["FuzzXML"])],
    targets: [
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .target(name: "Submit", swiftSettings: settings),
        .target(name: "SubmitHTTP", dependencies: ["Submit"], swiftSettings: settings),
        .target(name: "SubmitXML", dependencies: ["CLibXML2"], swiftSettings: settings),
        .executableTarget(
            name: "FuzzXML", dependencies: ["Submit", "SubmitHTTP", "SubmitXML"], swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]
)
