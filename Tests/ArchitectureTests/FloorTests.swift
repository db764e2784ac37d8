import XCTest

final class FloorTests: XCTestCase {
  func testEveryImportGoesToALowerFloorThatTheManifestDeclares() throws {
    let floors = try Floors(manifest: Manifest(text: Checkout.file("Package.swift").lines.joined(separator: "\n")))
    let files = try Checkout.files(under: "Sources")
    XCTAssertGreaterThan(files.count, 10, "the sources were not found")
    expectNone(files.flatMap(floors.breaches))
    XCTAssertEqual(floors.unknownFolders(files), [], "folders without a floor; add them to Floors")
  }

  func testAnImportUpwardOrSidewaysIsFound() {
    assertObjection("import RepriseObjectGraph", in: "EventStore", contains: "only lower floors")
    assertObjection("import RepriseEventStore", in: "Journal", contains: "only lower floors")
    assertObjection("import RepriseQuery", in: "Log", contains: "only lower floors")
    assertObjection("@_exported import RepriseFoundation", in: "Lists", contains: "only lower floors")
    assertObjection("package import struct RepriseLists.RowPath", in: "Query", contains: "only lower floors")
  }

  func testLMDBIsReachedThroughItsWrapperAndTheWrapperThroughTheEventStore() {
    assertObjection("import CRepriseLMDB", in: "EventStore", contains: "Sources/LMDB alone")
    assertObjection("import RepriseLMDB", in: "ObjectGraph", contains: "Sources/Log, Sources/Sharing alone")
    assertAllowed("import CRepriseLMDB", in: "LMDB")
    assertAllowed("import RepriseLMDB", in: "EventStore")
  }

  func testTheLogAndTheJournalAreReachedThroughTheEventStore() {
    assertObjection("import RepriseLog", in: "ObjectGraph", contains: "Sources/Journal, Sources/Sharing alone")
    assertObjection("import RepriseJournal", in: "ObjectGraph", contains: "Sources/EventStore, Sources/Sharing alone")
    assertObjection("import RepriseJournal", in: "Log", contains: "Sources/EventStore, Sources/Sharing alone")
    assertAllowed("import RepriseLog", in: "Journal")
    assertAllowed("import RepriseJournal", in: "EventStore")
  }

  func testFoundationStaysOutOfTheCore() {
    assertObjection("import Foundation", in: "ObjectModel", contains: "Glibc")
    assertObjection("import FoundationEssentials", in: "Restoration", contains: "Glibc")
    assertAllowed("import Foundation", in: "Testing")
    assertAllowed("#if canImport(Foundation)", in: "ObjectModel")
  }

  func testAnUndeclaredDependencyIsFound() {
    assertObjection("import CRepriseChecksums", in: "ObjectGraph", contains: "not among the dependencies")
  }

  func testAStrangersModuleAndAnImportByThePlugInAreFound() {
    assertObjection("import Collections", in: "Query", contains: "neither a target")
    assertObjection("import RepriseObjectModel", in: "ObjectGraphMacros", contains: "plug-in")
    assertAllowed("import SwiftSyntaxMacros", in: "ObjectGraphMacros")
  }

  func testAnImportWithinAStringLiteralIsNoImport() {
    let file = SourceFile(path: "Sources/Query/A.swift", text: "let text = \"\"\"\nimport RepriseLists\n\"\"\"\n")
    XCTAssertEqual(canary.breaches(in: file), [])
  }

  func testABreachNamesFileAndLine() {
    let file = SourceFile(path: "Sources/Query/A.swift", text: "import Glibc\nimport RepriseLists\n")
    XCTAssertEqual(canary.breaches(in: file).map(\.line), [2])
    XCTAssertTrue(canary.breaches(in: file).description.has("Sources/Query/A.swift:2: "))
  }

  func testAFolderWithoutAFloorIsFound() {
    let file = SourceFile(path: "Sources/Attic/A.swift", text: "")
    XCTAssertEqual(canary.unknownFolders([file]), ["Attic"])
  }

  private func assertObjection(
    _ line: String, in folder: String, contains text: String, at place: StaticString = #filePath, on row: UInt = #line
  ) {
    let found = canary.breaches(in: SourceFile(path: "Sources/\(folder)/A.swift", text: line))
    XCTAssertEqual(found.count, 1, file: place, line: row)
    XCTAssertTrue(found.first?.message.has(text) ?? false, "\(found)", file: place, line: row)
  }

  private func assertAllowed(
    _ line: String, in folder: String, at place: StaticString = #filePath, on row: UInt = #line
  ) {
    let found = canary.breaches(in: SourceFile(path: "Sources/\(folder)/A.swift", text: line))
    XCTAssertEqual(found, [], file: place, line: row)
  }

  private let canary = Floors(
    manifest: Manifest(
      text: """
        .systemLibrary(name: "CRepriseLMDB", path: "Sources/CLMDB"),
        .target(name: "CRepriseChecksums", path: "Sources/Checksums"),
        .target(name: "RepriseLMDB", dependencies: ["CRepriseLMDB"], path: "Sources/LMDB"),
        .target(name: "RepriseObjectModel", path: "Sources/ObjectModel"),
        .target(name: "RepriseQuery", dependencies: ["RepriseObjectModel"], path: "Sources/Query"),
        .target(name: "RepriseLog", dependencies: ["RepriseLMDB"], path: "Sources/Log"),
        .target(name: "RepriseJournal", dependencies: ["RepriseLog"], path: "Sources/Journal"),
        .target(
          name: "RepriseEventStore", dependencies: ["RepriseJournal", "RepriseLMDB"], path: "Sources/EventStore"),
        .target(name: "RepriseObjectGraph", dependencies: ["RepriseEventStore"], path: "Sources/ObjectGraph"),
        .target(name: "RepriseLists", path: "Sources/Lists"),
        .target(name: "RepriseFoundation", path: "Sources/Foundation"),
        """))
}

final class ManifestTests: XCTestCase {
  func testEveryTargetOfThePackageIsRead() throws {
    let manifest = try Manifest(text: Checkout.file("Package.swift").lines.joined(separator: "\n"))
    let folders = Set(try Checkout.files(under: "Sources", suffixes: [".swift", ".c", ".modulemap"]).map(\.folder))
    XCTAssertEqual(Set(manifest.targets.compactMap { manifest.folder(ofModule: $0.name) }), folders)
  }

  func testDependenciesAreReadAndThoseOfOtherPackagesLeftOut() {
    let text = """
      let one: D = .target(name: "NotATarget", condition: .when(traits: ["Macros"]))
      .target(
        name: "A", dependencies: [
          "B", one, .product(name: "C", package: "d"),
          "E", .target(name: "F", condition: .when(traits: ["G"])),
        ], path: "Sources/A"),
      """
    XCTAssertEqual(
      Manifest(text: text).targets, [Manifest.Target(name: "A", path: "Sources/A", dependencies: ["B", "E", "F"])])
  }
}

/// Fails with one line for each breach.
func expectNone(_ breaches: [Breach], at place: StaticString = #filePath, on row: UInt = #line) {
  for breach in breaches { XCTFail(breach.description, file: place, line: row) }
}
