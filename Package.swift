// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// Floors: a target depends on lower floors only. Tests/ArchitectureTests reads the imports and fails on a breach.
// Names carry the prefix because target names must be unique in a user's whole package graph.

let macros: TargetDependency = .target(name: "RepriseObjectGraphMacros", condition: .when(traits: ["Macros"]))

func swiftSyntax(_ product: String) -> TargetDependency {
  .product(name: product, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

typealias TargetDependency = Target.Dependency

let package = Package(
  name: "reprise",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Reprise", targets: ["Reprise"]),
    .library(name: "RepriseCore", targets: ["RepriseCore"]),
    .library(name: "RepriseObservation", targets: ["RepriseObservation"]),
    .library(name: "RepriseLocales", targets: ["RepriseLocales"]),
    .library(name: "RepriseDirectories", targets: ["RepriseDirectories"]),
    .library(name: "RepriseSQLite", targets: ["RepriseSQLite"]),
    .library(name: "ReprisePostgreSQL", targets: ["ReprisePostgreSQL"]),
    .library(name: "RepriseSharing", targets: ["RepriseSharing"]),
    .library(name: "RepriseDynamic", targets: ["RepriseDynamic"]),
    .library(name: "RepriseInspector", targets: ["RepriseInspector"]),
    .library(name: "RepriseTesting", targets: ["RepriseTesting"]),
    .library(name: "RepriseRemote", targets: ["RepriseRemote"]),
    .library(name: "RepriseHTTP", targets: ["RepriseHTTP"]),
    .executable(name: "reprise", targets: ["RepriseCommand"]),
    // For Tests/PlugInTests, a package of its own.
    .library(name: "_RepriseTestTool", targets: ["RepriseTestTool"]),
  ],
  traits: [
    .trait(name: "Macros", description: "The @Model macro; without it nothing of swift-syntax is fetched or built."),
    .trait(name: "SQLite", description: "RepriseSQLite; without it nothing of GRDB is fetched or built."),
    .trait(name: "PostgreSQL", description: "ReprisePostgreSQL; without it libpq need not be installed."),
    .trait(
      name: "Command", description: "The command; without it nothing of swift-argument-parser is fetched or built.",
      enabledTraits: ["Inspector"]),
    .trait(
      name: "Inspector", description: "RepriseInspector; without it nothing of Hummingbird is fetched or built."),
    .trait(name: "HTTP", description: "RepriseHTTP; without it nothing of async-http-client is fetched or built."),
    .default(enabledTraits: ["Macros"]),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"605.0.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
  ],
  targets: [
    // 0
    .systemLibrary(
      name: "CRepriseLMDB", path: "Sources/CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CRepriseChecksums", path: "Sources/Checksums"),
    .systemLibrary(name: "CRepriseRuntime", path: "Sources/CRuntime"),
    .target(name: "RepriseSystem", path: "Sources/System"),
    // 1
    .target(
      name: "RepriseLMDB", dependencies: ["CRepriseLMDB", "CRepriseChecksums", "RepriseSystem"], path: "Sources/LMDB",
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "RepriseObjectModel", dependencies: ["RepriseSystem"], path: "Sources/ObjectModel"),
    // 2
    .target(name: "RepriseQuery", dependencies: ["RepriseObjectModel", "RepriseSystem"], path: "Sources/Query"),
    .target(name: "RepriseRemoteError", dependencies: ["RepriseObjectModel"], path: "Sources/RemoteError"),
    .target(
      name: "RepriseLog", dependencies: ["RepriseLMDB", "RepriseObjectModel", "RepriseSystem", "CRepriseChecksums"],
      path: "Sources/Log", swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    // 3
    .target(
      name: "RepriseJournal",
      dependencies: ["RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseSystem", "CRepriseChecksums"],
      path: "Sources/Journal"),
    // 4
    .target(
      name: "RepriseEventStore",
      dependencies: ["RepriseJournal", "RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseSystem"],
      path: "Sources/EventStore", swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    // 5
    .target(
      name: "RepriseObjectGraph",
      dependencies: [
        "RepriseEventStore", "RepriseQuery", "RepriseObjectModel", "RepriseSystem", "CRepriseRuntime", macros,
      ],
      path: "Sources/ObjectGraph"),
    .target(
      name: "RepriseSharing",
      dependencies: [
        "RepriseEventStore", "RepriseJournal", "RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseSystem",
      ],
      path: "Sources/Sharing", swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .macro(
      name: "RepriseObjectGraphMacros",
      dependencies: [swiftSyntax("SwiftSyntaxMacros"), swiftSyntax("SwiftCompilerPlugin")],
      path: "Sources/ObjectGraphMacros"),
    // 6
    .target(
      name: "RepriseLists",
      dependencies: ["RepriseObjectGraph", "RepriseQuery", "RepriseEventStore", "RepriseObjectModel", "RepriseSystem"],
      path: "Sources/Lists"),
    .target(
      name: "RepriseFoundation",
      dependencies: ["RepriseObjectGraph", "RepriseQuery", "RepriseEventStore", "RepriseObjectModel"],
      path: "Sources/Foundation"),
    .target(
      name: "RepriseDynamic",
      dependencies: [
        "RepriseObjectGraph", "RepriseQuery", "RepriseEventStore", "RepriseObjectModel", "RepriseSystem",
      ], path: "Sources/Dynamic"),
    .target(
      name: "RepriseLocales", dependencies: ["RepriseObjectModel", "RepriseSystem"], path: "Sources/Locales",
      linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]),
    // 7
    .target(
      name: "RepriseObservation",
      dependencies: ["RepriseLists", "RepriseObjectGraph", "RepriseEventStore", "RepriseObjectModel"],
      path: "Sources/Observation"),
    .target(
      name: "RepriseRestoration",
      dependencies: [
        "RepriseLists", "RepriseObjectGraph", "RepriseEventStore", "RepriseObjectModel", "RepriseSystem",
        "CRepriseChecksums",
      ], path: "Sources/Restoration"),
    // 8
    .target(
      name: "RepriseRemote",
      dependencies: [
        "RepriseRestoration", "RepriseLists", "RepriseObjectGraph", "RepriseQuery", "RepriseEventStore",
        "RepriseRemoteError", "RepriseObjectModel", "RepriseSystem",
      ], path: "Sources/Remote"),
    .target(
      name: "RepriseCore",
      dependencies: [
        "RepriseRestoration", "RepriseLists", "RepriseObjectGraph", "RepriseQuery", "RepriseEventStore",
        "RepriseObjectModel",
      ], path: "Sources/RepriseCore"),
    // 9
    .target(
      name: "RepriseHTTP",
      dependencies: [
        "RepriseRemote", "RepriseObjectModel",
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["HTTP"])),
      ], path: "Sources/HTTP"),
    .target(
      name: "Reprise", dependencies: ["RepriseCore", "RepriseFoundation", "RepriseRemoteError"],
      path: "Sources/Reprise"),
    .target(
      name: "RepriseTesting", dependencies: ["RepriseCore", "RepriseRemote", "RepriseSharing", "RepriseSystem"],
      path: "Sources/Testing"),
    .target(
      name: "RepriseDirectories", dependencies: ["RepriseCore", "RepriseRemote"],
      path: "Sources/Directories"),
    .target(
      name: "RepriseSQLite",
      dependencies: [
        "RepriseCore",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ], path: "Sources/SQLite"),
    .target(
      name: "ReprisePostgreSQL",
      dependencies: [
        "RepriseCore", "RepriseSharing", "RepriseSystem",
        .target(name: "CReprisePostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ], path: "Sources/PostgreSQL"),
    .systemLibrary(
      name: "CReprisePostgreSQL", path: "Sources/CPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // 10
    .target(
      name: "RepriseTool",
      dependencies: ["RepriseDynamic", "RepriseCore", "RepriseObjectModel", "RepriseLocales"], path: "Sources/Tool"),
    .target(
      name: "RepriseDemonstration", dependencies: ["RepriseCore", "CRepriseChecksums"], path: "Sources/Demonstration"),

    // 11
    .executableTarget(name: "RepriseDemo", dependencies: ["RepriseDemonstration"], path: "Sources/Demo"),
    .target(
      name: "RepriseInspector",
      dependencies: [
        "RepriseTool", "RepriseDynamic", "RepriseCore", "RepriseObjectGraph", "RepriseQuery", "RepriseEventStore",
        "RepriseObjectModel",
        .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Inspector"])),
      ], path: "Sources/Inspector", resources: [.embedInCode("Page")]),

    // 12
    .executableTarget(
      name: "RepriseCommand",
      dependencies: [
        "RepriseInspector", "RepriseTool", "RepriseDynamic", "RepriseCore", "RepriseSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ], path: "Sources/Command"),

    // What tests share. Seeds and models are for the crash tests' program as well, which must start without Foundation.
    .target(name: "RepriseTestSeeds", path: "Tests/Support/Seeds"),
    .target(
      name: "RepriseTestModels", dependencies: ["RepriseQuery", "RepriseObjectModel"], path: "Tests/Support/Models"),
    .target(name: "RepriseTestArchives", path: "Tests/Support/Archives"),
    .target(
      name: "RepriseTestOpening", dependencies: ["RepriseEventStore", "RepriseSystem"], path: "Tests/Support/Opening"),
    .target(name: "RepriseTestProcesses", path: "Tests/Support/Processes"),
    .target(
      name: "RepriseTestLog", dependencies: ["RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseTestSeeds"],
      path: "Tests/Support/Log"),
    .target(
      name: "RepriseTestJournal", dependencies: ["RepriseJournal", "RepriseSystem"], path: "Tests/Support/Journal"),
    .target(
      name: "RepriseTestSharing",
      dependencies: ["RepriseCore", "RepriseEventStore", "RepriseSharing", "RepriseSystem", "RepriseTesting"],
      path: "Tests/Support/Sharing"),

    .testTarget(name: "RepriseSystemTests", dependencies: ["RepriseSystem"], path: "Tests/SystemTests"),
    .testTarget(
      name: "RepriseLMDBTests",
      dependencies: ["RepriseLMDB", "RepriseSystem", "CRepriseChecksums", "RepriseTestProcesses", "RepriseTestSeeds"],
      path: "Tests/LMDBTests"),
    .testTarget(
      name: "RepriseObjectModelTests",
      dependencies: ["RepriseObjectModel", "RepriseTestArchives", "RepriseTestModels", "RepriseTestSeeds"],
      path: "Tests/ObjectModelTests"),
    .testTarget(
      name: "RepriseQueryTests",
      dependencies: ["RepriseQuery", "RepriseTestArchives", "RepriseTestModels", "RepriseTestSeeds"],
      path: "Tests/QueryTests"),
    .testTarget(
      name: "RepriseLogTests",
      dependencies: ["RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseTestLog", "RepriseTestSeeds"],
      path: "Tests/LogTests"),
    .testTarget(
      name: "RepriseJournalTests",
      dependencies: [
        "RepriseJournal", "RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseSystem", "RepriseTestJournal",
        "RepriseTestLog", "RepriseTestModels", "RepriseTestProcesses", "RepriseTestSeeds",
      ], path: "Tests/JournalTests"),
    .testTarget(
      name: "RepriseEventStoreTests",
      dependencies: [
        "RepriseEventStore", "RepriseJournal", "RepriseLog", "RepriseLMDB", "RepriseObjectModel", "RepriseSystem",
        "RepriseTestJournal", "RepriseTestLog", "RepriseTestModels", "RepriseTestProcesses", "RepriseTestSeeds",
      ], path: "Tests/EventStoreTests"),
    .testTarget(
      name: "RepriseObjectGraphTests",
      dependencies: [
        "RepriseObjectGraph", "RepriseEventStore", "RepriseJournal", "RepriseLog", "RepriseLMDB", "RepriseSystem",
        "RepriseSharing", "RepriseQuery", "RepriseObjectModel", "RepriseTestModels", "RepriseTestOpening",
        "RepriseTestProcesses",
        "RepriseTestSeeds", "RepriseTestSharing",
      ], path: "Tests/ObjectGraphTests"),
    .testTarget(
      name: "RepriseObjectGraphMacrosTests",
      dependencies: [
        "Reprise", macros, swiftSyntax("SwiftSyntaxMacrosTestSupport"),
      ], path: "Tests/ObjectGraphMacrosTests"),
    .testTarget(
      name: "RepriseSharingTests",
      dependencies: [
        "RepriseSharing", "RepriseObjectGraph", "RepriseEventStore", "RepriseLog", "RepriseLMDB", "RepriseQuery",
        "RepriseObjectModel", "RepriseSystem", "RepriseTesting", "RepriseTestModels", "RepriseTestSeeds",
      ], path: "Tests/SharingTests"),
    .target(
      name: "RepriseTestTool",
      dependencies: [
        "RepriseTool", "RepriseDynamic", "RepriseCore", "RepriseEventStore", "RepriseObjectModel", "RepriseSystem",
        "RepriseTestModels",
      ], path: "Tests/Support/Tool"),
    .testTarget(
      name: "RepriseToolTests",
      dependencies: [
        "RepriseTestTool",
        "RepriseTool", "RepriseDynamic", "RepriseCore", "RepriseEventStore", "RepriseObjectModel", "RepriseSystem",
        "RepriseTestModels", "RepriseTestSeeds",
      ],
      path: "Tests/ToolTests", exclude: ["Golden"]),
    .testTarget(
      name: "RepriseInspectorTests",
      dependencies: [
        "RepriseInspector", "RepriseTestTool", "RepriseDynamic", "RepriseCore", "RepriseEventStore", "RepriseJournal",
        "RepriseSystem", "RepriseTestJournal", "RepriseTestModels",
      ], path: "Tests/InspectorTests"),
    .testTarget(
      name: "RepriseDynamicTests",
      dependencies: [
        "RepriseDynamic", "RepriseObjectGraph", "RepriseQuery", "RepriseEventStore", "RepriseObjectModel",
        "RepriseTestArchives", "RepriseTestModels", "RepriseTestSeeds",
      ], path: "Tests/DynamicTests"),
    .testTarget(
      name: "RepriseListsTests",
      dependencies: [
        "RepriseLists", "RepriseTesting", "RepriseTestModels", "RepriseTestOpening", "RepriseTestSeeds",
      ],
      path: "Tests/ListsTests"),
    .testTarget(
      name: "RepriseObservationTests", dependencies: ["RepriseObservation", "RepriseTestModels"],
      path: "Tests/ObservationTests"),
    .testTarget(
      name: "RepriseRestorationTests",
      dependencies: [
        "RepriseRestoration", "RepriseTesting", "RepriseTestModels", "RepriseTestOpening", "RepriseTestSeeds",
      ],
      path: "Tests/RestorationTests"),
    .testTarget(
      name: "ReprisePortingTests", dependencies: ["Reprise", "RepriseTesting", "RepriseTestModels"],
      path: "Tests/PortingTests"),
    .testTarget(
      name: "RepriseManualTests",
      dependencies: ["Reprise", "RepriseDynamic", "RepriseRemote", "RepriseSharing", "RepriseTesting"],
      path: "Tests/ManualTests"),
    .testTarget(
      name: "RepriseRemoteTests",
      dependencies: ["RepriseRemote", "RepriseTesting", "RepriseTestModels", "RepriseTestSeeds"],
      path: "Tests/RemoteTests"),
    .testTarget(
      name: "RepriseFoundationTests", dependencies: ["RepriseFoundation", "RepriseTestModels", "RepriseTestSeeds"],
      path: "Tests/FoundationTests"),
    .testTarget(
      name: "RepriseTests",
      dependencies: ["Reprise", "RepriseDynamic", "RepriseInspector", "RepriseRemoteError", "RepriseSharing"],
      path: "Tests/RepriseTests"),
    .testTarget(
      name: "RepriseLocalesTests",
      dependencies: [
        "RepriseLocales", "RepriseLists", "RepriseEventStore", "RepriseLMDB", "RepriseTestModels", "RepriseTestSeeds",
      ], path: "Tests/LocalesTests"),
    .testTarget(
      name: "RepriseModelBasedTests",
      dependencies: ["RepriseTesting", "RepriseTestModels", "RepriseTestSeeds", "RepriseTestSharing"],
      path: "Tests/ModelBasedTests"),
    .testTarget(
      name: "RepriseEvolutionTests",
      dependencies: ["RepriseTesting", "RepriseTestModels", "RepriseTestProcesses", "RepriseTestSeeds"],
      path: "Tests/EvolutionTests"),
    .testTarget(
      name: "RepriseDirectoriesTests",
      dependencies: ["RepriseDirectories", "RepriseTesting", "RepriseTestModels", "RepriseTestSeeds"],
      path: "Tests/DirectoriesTests"),
    // Linked into the child: what it defines stands before the system's functions of the same names.
    .target(name: "CRepriseFaults", path: "Tests/Faults"),
    // A program of its own, not the test program again: it starts in a few milliseconds, and is killed 500 times.
    .executableTarget(
      name: "RepriseCrashChild",
      dependencies: [
        "RepriseRemote", "RepriseRestoration", "RepriseDynamic", "RepriseLists", "RepriseObjectGraph", "RepriseSharing",
        "RepriseEventStore", "RepriseQuery", "RepriseObjectModel", "RepriseLMDB", "RepriseSystem", "CRepriseFaults",
        "RepriseTestModels", "RepriseTestSeeds",
      ], path: "Tests/CrashChild"),
    .testTarget(
      name: "RepriseCrashTests", dependencies: ["RepriseCrashChild", "RepriseTestSeeds"], path: "Tests/CrashTests"),
    .testTarget(
      name: "RepriseRealDataTests",
      dependencies: [
        "Reprise", "RepriseDemonstration", "RepriseTesting", "RepriseDynamic", "RepriseTool", "CRepriseChecksums",
      ], path: "Tests/RealDataTests"),
    .testTarget(name: "RepriseDemoTests", dependencies: ["RepriseDemo"], path: "Tests/DemoTests"),
    .testTarget(name: "RepriseArchitectureTests", path: "Tests/ArchitectureTests"),
  ]
)

// Optimised programs link only the functions that they call: Docs/Decisions/0114. A compiler that has
// not been tried might not know the flags, and builds without them.
#if os(Linux) && compiler(<6.4)
let flags = ["-function-sections", "-internalize-at-link"]
for target in package.targets where target.type == .regular && target.path?.hasPrefix("Sources/") == true {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [.unsafeFlags(flags.flatMap { ["-Xfrontend", $0] }, .when(configuration: .release))]
}
#endif
