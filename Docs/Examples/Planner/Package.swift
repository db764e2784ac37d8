// swift-tools-version: 6.2
// A web application that uses the library as a stranger does: a package of its own, with public products only.
import PackageDescription

// Set by the tests of this repository, which build @Model against the toolchain's own SwiftSyntax modules. The trait
// would build swift-syntax, which takes minutes.
let macros: Set<Package.Dependency.Trait> =
  Context.environment["REPRISE_MACROS_FROM_TOOLCHAIN"] == nil ? [.defaults] : []

let package = Package(
  name: "planner",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "planner", targets: ["Planner"])],
  dependencies: [
    .package(name: "reprise", path: "../../..", traits: macros),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "Planner",
      dependencies: [
        .product(name: "Reprise", package: "reprise"),
        .product(name: "RepriseObservation", package: "reprise"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Assets")])
  ]
)
