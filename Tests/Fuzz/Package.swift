// swift-tools-version: 6.1
import PackageDescription

/// What is fuzzed, compiled by itself with libFuzzer's and AddressSanitizer's instruments. The sources are links to those
/// of the package above, and to what it has checked out: nothing is fetched.
let instruments = "-sanitize=fuzzer,address"
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The targets look inside modules, as tests do.
    .unsafeFlags([instruments, "-enable-testing", "-parse-as-library"]),
]
let cSettings: [CSetting] = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]

let checkouts = "../../.build/checkouts"
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
/// What every target may stand on.
let beneath: [Target.Dependency] = [
    "SubmitPlatform", "SubmitConcurrency", .product(name: "Logging", package: "swift-log"),
]
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "fuzz",
    products: [.executable(name: "fuzz", targets: ["Fuzz"])],
    dependencies: [
        .package(path: "\(checkouts)/swift-asn1"),
        .package(path: "\(checkouts)/swift-crypto"),
        .package(path: "\(checkouts)/swift-log"),
        .package(path: "\(checkouts)/swift-subprocess", traits: []),
        .package(path: "\(checkouts)/swift-system"),
    ],
    targets: [
        .systemLibrary(name: "CISAL", pkgConfig: "libisal"),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        // It reads strangers' bytes for us: it gets the instruments too.
        .target(
            name: "CYaml", exclude: ["CMakeLists.txt"], cSettings: cSettings + [.define("YAML_DECLARE_STATIC")]),
        .target(
            name: "Yams", dependencies: ["CYaml"], exclude: ["CMakeLists.txt"],
            cSettings: [.define("YAML_DECLARE_STATIC")],
            swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags([instruments, "-parse-as-library"])]),
        .target(name: "SubmitPlatform", swiftSettings: settings),
        .target(name: "SubmitConcurrency", swiftSettings: settings),
        .target(name: "Submit", dependencies: beneath + [systemPackage], swiftSettings: settings),
        .target(name: "SubmitDigest", dependencies: beneath + ["Submit", "CISAL", crypto], swiftSettings: settings),
        .target(
            name: "SubmitHTTP", dependencies: beneath + ["Submit", "SubmitDigest", crypto], swiftSettings: settings),
        .target(
            name: "SubmitRecipes", dependencies: ["Submit", "SubmitHTTP", "Yams", crypto],
            resources: [.embedInCode("Recipes")], swiftSettings: settings),
        .target(
            name: "SubmitSignIn", dependencies: beneath + ["Submit", "SubmitHTTP", crypto], swiftSettings: settings),
        .target(
            name: "SubmitTransfer", dependencies: ["Submit", "SubmitConcurrency", "SubmitDigest"],
            swiftSettings: settings),
        .target(name: "SubmitCatalogue", dependencies: ["Submit"], swiftSettings: settings),
        .target(
            name: "SubmitLoopBack", dependencies: ["Submit", "SubmitCatalogue", "SubmitHTTP"], swiftSettings: settings),
        .target(
            name: "SubmitMedia", dependencies: beneath + ["Submit", "SubmitXML", "CISAL"], swiftSettings: settings),
        .target(
            name: "SubmitRendition", dependencies: beneath + ["Submit", "SubmitPixels", "CISAL"],
            swiftSettings: settings),
        .target(name: "SubmitPixels", swiftSettings: settings),
        .target(name: "CLinux", cSettings: cSettings),
        .target(
            name: "SubmitPluginHost",
            dependencies: beneath + ["Submit", "SubmitPluginProtocol", "SubmitPrograms", systemPackage],
            swiftSettings: settings),
        .target(name: "SubmitPluginProtocol", dependencies: ["Submit", systemPackage], swiftSettings: settings),
        .target(
            name: "SubmitPrograms",
            dependencies: beneath + ["Submit", "SubmitDigest", systemPackage, subprocess],
            swiftSettings: settings),
        .target(name: "SubmitXML", dependencies: ["CLibXML2"], swiftSettings: settings),
        .target(
            name: "CouchDBSubmitter",
            dependencies: beneath + ["Submit", "SubmitDigest", "SubmitHTTP", "SubmitSignIn", "SubmitTransfer"],
            swiftSettings: settings),
        .target(
            name: "OAuthHTTPSubmitter",
            dependencies: beneath + [
                "Submit", "SubmitDigest", "SubmitHTTP", "SubmitRecipes", "SubmitSignIn", "SubmitXML", crypto,
                systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "ObjectStorageSubmitter",
            dependencies: beneath + [
                "Submit", "SubmitDigest", "SubmitHTTP", "SubmitPrograms", "SubmitTransfer", "SubmitXML", "Yams", crypto,
                systemPackage,
            ],
            resources: [.embedInCode("S3/Profiles")], swiftSettings: settings),
        .target(
            name: "WebDAVSubmitter",
            dependencies: beneath + [
                "Submit", "SubmitDigest", "SubmitHTTP", "SubmitTransfer", "SubmitXML", crypto, systemPackage,
            ], swiftSettings: settings),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Submit", "SubmitPlatform", "SubmitConcurrency", "SubmitCatalogue", "SubmitDigest", "SubmitHTTP",
                "SubmitLoopBack", "SubmitMedia", "SubmitPluginHost", "SubmitPluginProtocol", "SubmitRendition",
                "SubmitRecipes", "SubmitSignIn", "SubmitTransfer", "SubmitXML", "CouchDBSubmitter",
                "OAuthHTTPSubmitter",
                "ObjectStorageSubmitter",
                "WebDAVSubmitter",
                "Yams", systemPackage,
            ],
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags([instruments, "-use-ld=lld"])]),
    ]
)
