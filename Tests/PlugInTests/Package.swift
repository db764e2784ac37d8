// swift-tools-version: 6.2
// The tests of the plug-ins behind traits, a package of their own that uses public products only, as a stranger's does:
// what they depend on is neither fetched nor built for the library's own tests.
import PackageDescription

// Set where libpq, or a server, cannot be installed: see `.ci/plug-in-tests`.
let hasPostgreSQL = Context.environment["REPRISE_WITHOUT_POSTGRESQL"] == nil
// Set where Chromium cannot be installed, which shows the page of the inspector.
let hasChromium = Context.environment["REPRISE_WITHOUT_CHROMIUM"] == nil

func reprise(_ product: String) -> Target.Dependency { .product(name: product, package: "reprise") }

let package = Package(
  name: "reprise-plug-in-tests",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      name: "reprise", path: "../..",
      traits: hasPostgreSQL ? ["SQLite", "Command", "PostgreSQL"] : ["SQLite", "Command"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ] + (hasChromium ? [.package(path: "../../Docs/Examples/Planner")] : []),
  targets: [
    .target(
      name: "LinesPlugIn",
      dependencies: [reprise("RepriseCore"), reprise("RepriseRemote"), reprise("RepriseSharing")],
      path: "LinesPlugIn"),
    .target(
      name: "Songs", dependencies: [reprise("RepriseCore"), reprise("RepriseRemote")], path: "Songs"),
    .testTarget(
      name: "LinesTests",
      dependencies: [
        "LinesPlugIn", "Songs", reprise("RepriseCore"), reprise("RepriseRemote"), reprise("RepriseSharing"),
        reprise("RepriseTesting"),
      ],
      path: "LinesTests"),
    .target(name: "Inspected", dependencies: [reprise("RepriseCore")], path: "Inspected"),
    .testTarget(
      name: "CommandTests",
      dependencies: ["Inspected", "Songs", reprise("reprise"), reprise("RepriseCore"), reprise("_RepriseTestTool")],
      path: "CommandTests"),
    .testTarget(
      name: "SQLiteTests",
      dependencies: [
        "Songs", reprise("RepriseSQLite"), reprise("RepriseCore"), reprise("RepriseRemote"), reprise("RepriseTesting"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "SQLiteTests"),
  ]
    + (hasPostgreSQL
      ? [
        .executableTarget(
          name: "SongServer",
          dependencies: ["Songs", reprise("ReprisePostgreSQL"), reprise("RepriseCore"), reprise("RepriseSharing")],
          path: "SongServer"),
        .testTarget(
          name: "PostgreSQLTests",
          dependencies: [
            "SongServer", "Songs", reprise("ReprisePostgreSQL"), reprise("RepriseCore"), reprise("RepriseRemote"),
            reprise("RepriseSharing"), reprise("RepriseTesting"),
          ],
          path: "PostgreSQLTests"),
      ] : [])
    + (hasChromium
      ? [
        .target(name: "Browser", path: "Browser"),
        .testTarget(
          name: "PlannerTests",
          dependencies: ["Browser", reprise("RepriseTesting"), .product(name: "planner", package: "Planner")],
          path: "PlannerTests"),
        .executableTarget(name: "Typist", dependencies: ["Inspected", reprise("RepriseCore")], path: "Typist"),
        .testTarget(
          name: "InspectorTests",
          dependencies: [
            "Browser", "Inspected", "Typist", reprise("reprise"), reprise("RepriseInspector"), reprise("RepriseCore"),
          ],
          path: "InspectorTests"),
      ] : [])
)
