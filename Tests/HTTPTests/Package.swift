// swift-tools-version: 6.2
// The tests of RepriseHTTP, a package of their own that uses public products only: as part of the library's tests, the
// HTTP client would be built for each of them, which takes minutes.
import PackageDescription

let package = Package(
  name: "reprise-http-tests",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reprise", path: "../..", traits: ["HTTP"])],
  targets: [
    .testTarget(
      name: "HTTPTests",
      dependencies: [
        .product(name: "RepriseHTTP", package: "reprise"), .product(name: "RepriseRemote", package: "reprise"),
        .product(name: "RepriseCore", package: "reprise"), .product(name: "RepriseTesting", package: "reprise"),
      ], path: "Tests")
  ]
)
