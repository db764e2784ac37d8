// swift-tools-version: 6.2
// The benchmarks, a package of their own: GRDB and the argument parser are never fetched by users of the library.
import PackageDescription

// `.ci/bench` builds @Model against the toolchain's own SwiftSyntax modules where there are any, and sets this; the
// trait would build swift-syntax, which takes minutes in release.
let macros: Set<Package.Dependency.Trait> =
  Context.environment["REPRISE_MACROS_FROM_TOOLCHAIN"] == nil ? [.defaults] : []
// `.ci/bench shared-log` sets this. The other benchmarks need no libpq.
let hasPostgreSQL = Context.environment["REPRISE_SHARED_LOG"] != nil
let traits = hasPostgreSQL ? macros.union(["PostgreSQL"]) : macros

func reprise(_ product: String) -> Target.Dependency { .product(name: product, package: "reprise") }

let package = Package(
  name: "reprise-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "restore-latency", targets: ["RestoreLatency"]),
    .executable(name: "query-latency", targets: ["QueryLatency"]),
    .executable(name: "list-latency", targets: ["ListLatency"]),
    .executable(name: "time-travel", targets: ["TimeTravel"]),
    .executable(name: "budgets", targets: ["Budgets"]),
    .executable(name: "inspector-latency", targets: ["InspectorLatency"]),
    .executable(name: "reprise-worker", targets: ["RepriseWorker"]),
    .executable(name: "reprise-core-worker", targets: ["RepriseCoreWorker"]),
    .executable(name: "reprise-restore-worker", targets: ["RepriseRestoreWorker"]),
    .executable(name: "reprise-core-restore-worker", targets: ["RepriseCoreRestoreWorker"]),
    .executable(name: "grdb-worker", targets: ["GRDBWorker"]),
    .executable(name: "grdb-restore-worker", targets: ["GRDBRestoreWorker"]),
    .executable(name: "swift-worker", targets: ["SwiftWorker"]),
  ],
  dependencies: [
    .package(name: "reprise", path: "..", traits: traits),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    // What the three programs share, which is all but the choice of their rows.
    .target(
      name: "LatencyRunner",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .executableTarget(name: "RestoreLatency", dependencies: ["LatencyRunner"]),
    .executableTarget(name: "QueryLatency", dependencies: ["LatencyRunner"]),
    .executableTarget(name: "ListLatency", dependencies: ["LatencyRunner"]),
    .executableTarget(name: "TimeTravel", dependencies: ["LatencyRunner"]),
    .executableTarget(name: "Budgets", dependencies: ["LatencyRunner"]),
    .executableTarget(name: "InspectorLatency", dependencies: ["LatencyRunner"]),
    // What every peer does: the data, the archive, the draft and the edits, each made from a seed.
    .target(
      name: "CWorkload",
      // Before the system's function of this name, also for libraries: see valgrind.c.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=sigsuspend"], .when(platforms: [.linux]))]),
    .target(name: "Workload", dependencies: ["CWorkload"]),
    // For the sizes of tables, which the library does not tell.
    .systemLibrary(
      name: "CBenchmarkLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    // The program that is killed and restored, over either model of an item: with a `Date`, or with a number for it.
    .target(name: "RepriseApp", dependencies: ["Workload", reprise("RepriseCore")]),
    // Programs that only restore. What they share with the other workers are links to those: a model belongs to a
    // program's own module, as in most programs.
    .executableTarget(name: "RepriseRestoreWorker", dependencies: ["RepriseApp", "Workload", reprise("Reprise")]),
    .executableTarget(
      name: "RepriseCoreRestoreWorker", dependencies: ["RepriseApp", "Workload", reprise("RepriseCore")]),
    .executableTarget(
      name: "GRDBRestoreWorker", dependencies: ["Workload", .product(name: "GRDB", package: "GRDB.swift")]),
    // The other commands of the workers of Reprise, over either model.
    .target(
      name: "RepriseCommands",
      dependencies: [
        "RepriseApp", "Workload", "CWorkload", "CBenchmarkLMDB", reprise("RepriseCore"), reprise("RepriseRemote"),
      ]),
    .executableTarget(
      name: "RepriseWorker", dependencies: ["RepriseApp", "RepriseCommands", "Workload", reprise("Reprise")]),
    .executableTarget(
      name: "RepriseCoreWorker",
      dependencies: ["RepriseCommands", "RepriseApp", "Workload", reprise("RepriseCore")]),
    .executableTarget(name: "GRDBWorker", dependencies: ["Workload", .product(name: "GRDB", package: "GRDB.swift")]),
    .executableTarget(name: "SwiftWorker", dependencies: ["CWorkload"]),
    // Sources/LMDBWorker is no target: SwiftPM would link Swift's runtime to it, which takes longer to load than the
    // program to run. `.ci/bench` compiles it with the C compiler.
    .testTarget(name: "WorkloadTests", dependencies: ["Workload"]),
    .testTarget(name: "LatencyRunnerTests", dependencies: ["LatencyRunner"]),
  ]
    + (hasPostgreSQL
      ? [
        .executableTarget(
          name: "SharedLog",
          dependencies: [
            reprise("Reprise"), reprise("RepriseSharing"), reprise("ReprisePostgreSQL"), reprise("RepriseTesting"),
          ])
      ] : [])
)
