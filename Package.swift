// swift-tools-version: 6.1
import PackageDescription

/// Object files that a release is linked with before all libraries, by scripts/build.sh: with them the package is nobody's
/// dependency.
let linkedFirst: [LinkerSetting]? = Context.environment["SUBMIT_LINKED_FIRST"].map {
    [.unsafeFlags($0.split(separator: ":").map(String.init))]
}

/// The submitters of this house. A row makes a library product, its target and its tests; a new submitter is one row.
let submitters: [(name: String, needs: [Target.Dependency], resources: [Resource])] = [
    ("LocalFileSubmitter", ["CLinux", .product(name: "SystemPackage", package: "swift-system")], []),
    (
        "ObjectStorageSubmitter",
        [
            "SubmitHTTP", "SubmitPrograms", "SubmitXML", "Yams", .product(name: "Crypto", package: "swift-crypto"),
        ],
        [.embedInCode("S3/Profiles")]
    ),
    (
        "OAuthHTTPSubmitter",
        [
            "SubmitHTTP", "SubmitRecipes", "SubmitSignIn", "SubmitXML",
            .product(name: "Crypto", package: "swift-crypto"), .product(name: "SystemPackage", package: "swift-system"),
        ],
        []
    ),
    (
        "WebDAVSubmitter",
        [
            "SubmitHTTP", "SubmitXML", .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "SystemPackage", package: "swift-system"),
        ],
        []
    ),
    ("CouchDBSubmitter", ["SubmitHTTP", "SubmitSignIn"], []),
]

/// The submitters of this house that run as programs of their own, as anyone's do. A row makes a program and its tests.
let externalSubmitters: [(name: String, program: String, needs: [Target.Dependency])] = [
    ("CommandSubmitter", "submit-to-command", ["SubmitPrograms"]),
    ("GitAnnexSubmitter", "submit-to-git-annex", ["SubmitPrograms"]),
    ("RcloneSubmitter", "submit-to-rclone", ["SubmitPrograms"]),
]

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
/// Further dependencies of some submitters' tests.
let testNeeds: [String: [Target.Dependency]] = [
    "LocalFileSubmitter": ["SubmitDigest", "SubmitEngine", "SubmitJournal", "CDrawnFiles", systemPackage],
    "ObjectStorageSubmitter": ["SubmitCurl", "SubmitDigest", "SubmitHTTP", "SubmitTransfer"],
    "OAuthHTTPSubmitter": ["SubmitCurl", "SubmitDigest", "SubmitHTTP", "SubmitRecipes"],
    "WebDAVSubmitter": ["SubmitCurl", "SubmitHTTP", "SubmitXML", crypto, systemPackage],
    "CouchDBSubmitter": ["SubmitCurl", "SubmitDigest", "SubmitHTTP", systemPackage],
    "CommandSubmitter": [systemPackage], "RcloneSubmitter": ["SubmitHTTP", "SubmitPrograms"],
]
let submitterTargets = submitters.map { Target.Dependency(stringLiteral: $0.name) }

let package = Package(
    name: "submit",
    products: [
        .executable(name: "submit", targets: ["SubmitCommand"]),
        .executable(name: "submit-media", targets: ["SubmitMediaTool"]),
        .executable(name: "submit-serve", targets: ["SubmitServeTool"]),
        .library(name: "Submit", targets: ["Submit"]),
        .library(name: "SubmitDigest", targets: ["SubmitDigest"]),
        .library(name: "SubmitRendition", targets: ["SubmitRendition"]),
        .library(name: "SubmitEngine", targets: ["SubmitEngine"]),
        .library(name: "SubmitJournal", targets: ["SubmitJournal"]),
        .library(name: "SubmitTransfer", targets: ["SubmitTransfer"]),
        .library(name: "SubmitHTTP", targets: ["SubmitHTTP"]),
        .library(name: "SubmitSignIn", targets: ["SubmitSignIn"]),
        .library(name: "SubmitRecipes", targets: ["SubmitRecipes"]),
        .library(name: "SubmitCurl", targets: ["SubmitCurl"]),
        .library(name: "SubmitXML", targets: ["SubmitXML"]),
        .library(name: "SubmitPlugin", targets: ["SubmitPlugin"]),
        .library(name: "SubmitNotifications", targets: ["SubmitNotifications"]),
        .library(name: "SubmitConfiguration", targets: ["SubmitConfiguration"]),
        .library(name: "SubmitPluginHost", targets: ["SubmitPluginHost"]),
        .library(name: "SubmitTesting", targets: ["SubmitTesting"]),
    ] + submitters.map { .library(name: $0.name, targets: [$0.name]) }
        + externalSubmitters.map { .executable(name: $0.program, targets: [$0.name]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // The system's C library.
        .target(name: "SubmitPlatform", swiftSettings: settings),

        // The contract and what stands beside it.
        .target(
            name: "Submit", dependencies: ["SubmitPlatform", "SubmitConcurrency", systemPackage, logging],
            swiftSettings: settings),
        .target(name: "SubmitConcurrency", swiftSettings: settings),
        .target(
            name: "SubmitDigest", dependencies: ["SubmitPlatform", "Submit", "SubmitConcurrency", "CISAL", crypto],
            swiftSettings: settings),
        .target(
            name: "SubmitMedia", dependencies: ["SubmitPlatform", "Submit", "SubmitXML", "CISAL"],
            swiftSettings: settings),
        // What a destination gets instead of the original.
        .target(
            name: "SubmitRendition", dependencies: ["SubmitPlatform", "Submit", "SubmitPixels", "CISAL"],
            swiftSettings: settings),
        // What is done with pixels, and the program that does it.
        .target(name: "SubmitPixels", swiftSettings: settings),
        .executableTarget(
            name: "SubmitMediaTool", dependencies: ["SubmitPixels", "SubmitPlatform", "CVips", "CLinux"],
            swiftSettings: settings, linkerSettings: linkedFirst),
        // What is waiting to whom, written down: the roles of a store, and SQLite behind them.
        .target(
            name: "SubmitStore",
            dependencies: ["SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitCatalogue", systemPackage],
            swiftSettings: settings),
        // What was published and what people say of it: pictures, and what is asked of them.
        .target(name: "SubmitCatalogue", dependencies: ["Submit"], swiftSettings: settings),
        .target(
            name: "SubmitJournal",
            dependencies: [
                "SubmitPlatform", "SubmitStore", "SubmitCatalogue", "SubmitDigest", "Submit", "SubmitConcurrency",
                "CLinux", systemPackage, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        // Files that come to be, cards that are put in, a network that is there again.
        .target(
            name: "SubmitWatch",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitStore", "SubmitEngine", "CLinux", systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "SubmitEngine",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitDigest", "SubmitCatalogue",
                "SubmitMedia",
                "SubmitRendition", "SubmitPixels", "SubmitStore", "CLinux", systemPackage,
                logging, metrics,
            ],
            swiftSettings: settings),
        // What others send in: invites, sessions, files in pieces. It knows no network.
        .target(
            name: "SubmitReceiving",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitDigest", "SubmitMedia", "SubmitStore",
                "SubmitEngine", "CLinux", systemPackage, crypto,
            ],
            swiftSettings: settings),
        .target(
            name: "SubmitTesting",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitDigest", "SubmitHTTP", "SubmitPluginProtocol",
                "SubmitTransfer", "CLinux", systemPackage,
            ],
            swiftSettings: settings),

        // Shared by submitters: names, parts, evidence, and uploads that show only when they are published.
        .target(
            name: "SubmitTransfer", dependencies: ["Submit", "SubmitConcurrency", "SubmitDigest"],
            swiftSettings: settings),

        // HTTP.
        .target(
            name: "SubmitHTTP",
            dependencies: ["SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitDigest", crypto, logging],
            swiftSettings: settings),
        // How someone signs in at a service, and how requests show it: OAuth, WSSE, cookies.
        .target(
            name: "SubmitSignIn", dependencies: ["Submit", "SubmitConcurrency", "SubmitHTTP", crypto],
            swiftSettings: settings),
        // The language of recipes, and the recipes that come with submit. It sends nothing.
        .target(
            name: "SubmitRecipes", dependencies: ["Submit", "SubmitHTTP", "Yams", crypto],
            resources: [.embedInCode("Recipes")], swiftSettings: settings),
        .target(
            name: "SubmitCurl", dependencies: ["Submit", "SubmitConcurrency", "SubmitHTTP", "CCurl", "CLinux"],
            swiftSettings: settings),
        .target(name: "SubmitXML", dependencies: ["CLibXML2"], swiftSettings: settings),
        // The catalogues of others, over HTTP.
        .target(
            name: "SubmitLoopBack", dependencies: ["Submit", "SubmitCatalogue", "SubmitHTTP"], swiftSettings: settings),

        // Submitters that run as other programs.
        .target(name: "SubmitPluginProtocol", dependencies: ["Submit", systemPackage], swiftSettings: settings),
        .target(
            name: "SubmitPlugin",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitPluginProtocol", systemPackage, logging,
            ],
            swiftSettings: settings),
        .target(
            name: "SubmitPluginHost",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitPluginProtocol", "SubmitPrograms",
                systemPackage, logging,
            ],
            swiftSettings: settings),

        // Programs that are run: by submitters, by their host, by the command.
        .target(
            name: "SubmitPrograms",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitDigest", systemPackage, logging,
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        // Programs that make pictures: submit-media and ffmpeg, and what they made.
        .target(
            name: "SubmitPictures",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitPixels", "SubmitPrograms", "CLinux",
                systemPackage,
            ],
            swiftSettings: settings),

        // New submitters. The templates are resources, and not compiled here: a link leads to them.
        .target(
            name: "SubmitScaffold", dependencies: ["SubmitPlatform", "Submit"], exclude: ["Templates/README.md"],
            resources: [.embedInCode("Templates/Submitter"), .embedInCode("Templates/StandAlone")],
            swiftSettings: settings),
        .executableTarget(
            name: "NewSubmitterTool", dependencies: ["Submit", "SubmitScaffold"], swiftSettings: settings),
        .plugin(
            name: "NewSubmitterCommand",
            capability: .command(
                intent: .custom(verb: "new-submitter", description: "Makes a new submitter from the template"),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "It adds Plugins/<Name>Submitter and its tests, and writes it down.")
                ]),
            dependencies: ["NewSubmitterTool"]),

        // Notifications of what happens to submissions: to a desktop, a webhook, a program.
        .target(
            name: "SubmitNotifications",
            dependencies: [
                "Submit", "SubmitConcurrency", "SubmitEngine", "SubmitHTTP", "SubmitPrograms", "SubmitStore", crypto,
                systemPackage,
            ],
            swiftSettings: settings),

        // What a command, a server and an app share.
        .target(
            name: "SubmitConfiguration",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitEngine", "SubmitJournal", "SubmitHTTP",
                "SubmitCurl", "SubmitLoopBack", "SubmitNotifications", "SubmitPictures", "SubmitPluginHost",
                "SubmitPrograms", "CDesktopLibraries", "Yams", "SubmitStore", crypto, systemPackage,
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ] + submitterTargets,
            swiftSettings: settings),

        // The command.
        .executableTarget(
            name: "SubmitCommand",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitConfiguration", "SubmitEngine",
                "SubmitJournal", "SubmitHTTP", "SubmitWatch", "SubmitReceiving", "SubmitCatalogue",
                "SubmitNotifications", "SubmitPictures", "SubmitPluginHost", "SubmitPrograms", "SubmitRecipes",
                "SubmitScaffold", "SubmitTesting", "CDesktopLibraries", "CLinux", "SubmitPixels", "SubmitDigest",
                "SubmitMedia", "SubmitXML", "SubmitCurl", "SubmitStore", systemPackage, logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [.embedInCode("Catalogue/Samples")],
            swiftSettings: settings, linkerSettings: linkedFirst),

        // Receiving over HTTP: the routes, the page, and the program that serves them. Nothing else links a server.
        .target(
            name: "SubmitServe",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitConcurrency", "SubmitConfiguration", "SubmitEngine",
                "SubmitJournal", "SubmitStore", "SubmitReceiving", "SubmitHTTP", "CLinux", crypto, systemPackage,
                logging, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            exclude: ["Page"], swiftSettings: settings),
        .executableTarget(
            name: "SubmitServeTool", dependencies: ["SubmitServe", "SubmitPlatform"], swiftSettings: settings,
            linkerSettings: linkedFirst),

        // C: system libraries and small shims.
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CISAL", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CDesktopLibraries", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CVips", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CLinux"),

        // Tests: one folder a target.
        .target(
            name: "TestServers", dependencies: ["Submit", "SubmitConcurrency", "SubmitHTTP", "SubmitTesting"],
            path: "Tests/TestServers", swiftSettings: settings),
        .target(name: "CDrawnFiles", path: "Tests/CDrawnFiles", linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(
            name: "OutsideSubmitter",
            dependencies: ["Submit", "SubmitPlugin", "SubmitCurl", "SubmitTesting"] + submitterTargets,
            path: "Tests/OutsideSubmitter", swiftSettings: settings),
        .executableTarget(name: "OutsideRelay", path: "Tests/OutsideRelay"),
        .executableTarget(name: "ConfinedProbe", dependencies: ["CLinux"], path: "Tests/ConfinedProbe"),
        // Paths of the package whose instructions are counted.
        .executableTarget(
            name: "CountedPaths",
            dependencies: [
                "SubmitPlatform", "Submit", "SubmitDigest", "SubmitEngine", "SubmitJournal", "SubmitStore",
                "SubmitHTTP",
                "SubmitCurl", "ObjectStorageSubmitter", "LocalFileSubmitter", "CouchDBSubmitter", systemPackage,
            ],
            path: "Tests/CountedPaths", swiftSettings: settings),
        // A catalogue of a million pictures, and what is asked of it.
        .executableTarget(
            name: "CatalogueQuestions",
            dependencies: [
                "Submit", "SubmitCatalogue", "SubmitConcurrency", "SubmitEngine", "SubmitJournal", "SubmitStore",
                "TestServers", systemPackage, .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Tests/CatalogueQuestions", swiftSettings: settings),
        // Public API only, as any program's.
        .executableTarget(
            name: "EmbeddedService",
            dependencies: ["Submit", "SubmitConfiguration", "SubmitEngine", "SubmitJournal", systemPackage],
            path: "Tests/EmbeddedService", packageAccess: false, swiftSettings: settings),
        .testTarget(name: "SubmitConcurrencyTests", dependencies: ["SubmitConcurrency"], swiftSettings: settings),
        .testTarget(
            name: "SubmitTests", dependencies: ["Submit", "SubmitConcurrency", systemPackage], swiftSettings: settings),
        .testTarget(
            name: "SubmitTransferTests",
            dependencies: ["SubmitTransfer", "Submit", "SubmitConcurrency", "SubmitDigest", systemPackage],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitDigestTests",
            dependencies: [
                "SubmitDigest", "Submit", "SubmitConcurrency",
            ], swiftSettings: settings),
        .testTarget(
            name: "SubmitMediaTests",
            dependencies: [
                "SubmitMedia", "Submit",
            ], swiftSettings: settings),
        .testTarget(
            name: "SubmitRenditionTests", dependencies: ["SubmitRendition", "Submit", "TestServers", systemPackage],
            exclude: ["leaky.py"], swiftSettings: settings),
        .testTarget(
            name: "SubmitStoreTests",
            dependencies: [
                "SubmitStore", "SubmitJournal", "SubmitCatalogue", "Submit", "SubmitConcurrency", "TestServers",
                systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitJournalTests",
            dependencies: [
                "SubmitJournal", "SubmitStore", "SubmitCatalogue", "Submit", "SubmitConcurrency", systemPackage,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitCatalogueTests",
            dependencies: [
                "SubmitCatalogue", "SubmitJournal", "Submit", "TestServers",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitLoopBackTests",
            dependencies: [
                "SubmitLoopBack", "SubmitCatalogue", "Submit", "SubmitConcurrency", "SubmitHTTP", "SubmitCurl",
                "TestServers",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitEngineTests",
            dependencies: [
                "SubmitEngine", "SubmitCatalogue", "SubmitTesting", "SubmitPixels", "SubmitPictures",
                "SubmitMediaTool", "TestServers", "Submit", "SubmitConcurrency", "SubmitDigest", "SubmitJournal",
                "SubmitStore", systemPackage, logging, metrics, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitReceivingTests",
            dependencies: [
                "SubmitReceiving", "SubmitEngine", "SubmitJournal", "SubmitTesting", "SubmitConcurrency",
                "SubmitDigest", "TestServers", "Submit", "SubmitStore", systemPackage, crypto,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitTestingTests",
            dependencies: [
                "Submit", "SubmitTesting", "SubmitPlugin", "SubmitPluginHost", "OutsideRelay", "TestServers",
                "SubmitConcurrency", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitHTTPTests",
            dependencies: [
                "Submit", "SubmitConcurrency", "SubmitHTTP", "SubmitCurl", "TestServers", "SubmitTesting", crypto,
                logging, .product(name: "InMemoryLogging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitSignInTests",
            dependencies: [
                "Submit", "SubmitConcurrency", "SubmitHTTP", "SubmitSignIn", "SubmitCurl", "TestServers", crypto,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitRecipesTests",
            dependencies: [
                "SubmitRecipes"
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitCurlTests",
            dependencies: [
                "SubmitCurl", "TestServers", "CCurl", "Submit", "SubmitConcurrency", "SubmitHTTP",
            ], swiftSettings: settings),
        .testTarget(
            name: "SubmitProgramsTests",
            dependencies: [
                "Submit", "SubmitPrograms", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitPicturesTests",
            dependencies: [
                "SubmitPictures", "SubmitPixels", "SubmitConcurrency", "SubmitMediaTool", "ConfinedProbe",
                "TestServers", systemPackage,
            ],
            exclude: ["pixels.py"], swiftSettings: settings),
        .testTarget(
            name: "SubmitNotificationsTests",
            dependencies: [
                "SubmitNotifications", "Submit", "SubmitConcurrency", "SubmitEngine", "SubmitHTTP", "SubmitJournal",
                "SubmitTesting", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(name: "SubmitXMLTests", dependencies: ["SubmitXML"], swiftSettings: settings),
        .testTarget(
            name: "SubmitScaffoldTests",
            dependencies: [
                "SubmitScaffold", "Submit", "SubmitPluginHost", "SubmitTesting", "TestServers", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitPluginHostTests",
            dependencies: [
                "Submit", "SubmitPluginHost", "SubmitPlugin", "SubmitPluginProtocol", "SubmitPrograms",
                "SubmitEngine", "SubmitJournal", "SubmitDigest", "SubmitTesting", "TestServers", "OutsideSubmitter",
                "SubmitConcurrency", systemPackage,
            ],
            exclude: ["Programs"], swiftSettings: settings),
        .testTarget(
            name: "SubmitConfigurationTests",
            dependencies: [
                "SubmitConfiguration", "Submit", "SubmitConcurrency", "SubmitEngine", "SubmitJournal", "TestServers",
                "SubmitPrograms", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitCommandTests",
            dependencies: [
                "SubmitCommand", "SubmitConfiguration", "OutsideSubmitter", "EmbeddedService", "TestServers",
                "Submit", "SubmitEngine", "SubmitJournal", "SubmitHTTP", "SubmitSignIn", "SubmitCurl",
                "LocalFileSubmitter", "SubmitCatalogue", "SubmitConcurrency", "SubmitPixels", systemPackage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SubmitServeTests",
            dependencies: [
                "SubmitPlatform", "SubmitServe", "SubmitConfiguration", "SubmitConcurrency", "SubmitEngine",
                "SubmitJournal", "SubmitReceiving", "SubmitStore", "SubmitTesting", "Submit", "TestServers",
                systemPackage, crypto, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
    ]
        + submitters.map {
            // `packageAccess: false`: our own submitters see public API only, like anyone's. Only OAuthHTTPSubmitter has
            // package access, to use SubmitRecipes.
            .target(
                name: $0.name,
                dependencies: ["Submit", "SubmitPlatform", "SubmitConcurrency", "SubmitDigest", "SubmitTransfer"]
                    + $0.needs,
                path: "Plugins/\($0.name)", resources: $0.resources, packageAccess: $0.name == "OAuthHTTPSubmitter",
                swiftSettings: settings)
        }
        + submitters.map {
            .testTarget(
                name: "\($0.name)Tests",
                dependencies: [
                    .init(stringLiteral: $0.name), "Submit", "SubmitConcurrency", "SubmitTesting", "TestServers",
                ] + testNeeds[$0.name, default: []],
                exclude: ["Worlds/Manners.md"],
                swiftSettings: settings)
        }
        + externalSubmitters.map {
            .executableTarget(
                name: $0.name,
                dependencies: [
                    "Submit", "SubmitPlatform", "SubmitConcurrency", "SubmitDigest", "SubmitTransfer", "SubmitPlugin",
                    systemPackage,
                ] + $0.needs,
                path: "Plugins/\($0.name)", packageAccess: false, swiftSettings: settings,
                linkerSettings: linkedFirst)
        }
        + externalSubmitters.map {
            .testTarget(
                name: "\($0.name)Tests",
                dependencies: [
                    .init(stringLiteral: $0.name), "Submit", "SubmitConcurrency", "SubmitTesting", "TestServers",
                ] + testNeeds[$0.name, default: []],
                swiftSettings: settings)
        }
)

// Tests are most of what there is to build: these alone, by their names, for whoever needs no others.
if let wanted = Context.environment["SUBMIT_TESTS"]?.split(separator: " ").map(String.init) {
    let all = Set(package.targets.filter { $0.type == .test }.map(\.name))
    precondition(!wanted.isEmpty && all.isSuperset(of: wanted), "SUBMIT_TESTS names a test target that is not there.")
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
