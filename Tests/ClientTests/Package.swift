// swift-tools-version: 6.2
// A user's package, built outside this checkout by .ci/client-tests: the library without the trait Macros, so that
// nothing of swift-syntax may be fetched.
import PackageDescription

let package = Package(
  name: "client",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "reprise", path: Context.environment["REPRISE_CHECKOUT"] ?? "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        .product(name: "Reprise", package: "reprise"), .product(name: "RepriseTesting", package: "reprise"),
      ]),
    .executableTarget(name: "QuickStart", dependencies: [.product(name: "Reprise", package: "reprise")]),
    .executableTarget(name: "GettingStarted", dependencies: [.product(name: "Reprise", package: "reprise")]),
    .executableTarget(
      name: "MainActorClient", dependencies: [.product(name: "Reprise", package: "reprise")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ]
)
