import Foundation
import XCTest

/// An import that was interrupted leaves a store that looks like an import.
final class ImportInterruptTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-import-\(UUID().uuidString)"
  private var file: String { folder + "/songs.jsonl" }
  private static let count = 49_000

  override func setUpWithError() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    var lines = [
      #"{"reprise-export":1,"entities":[{"name":"Song","properties":[{"name":"title","kind":"string"}]}]}"#
    ]
    for number in 0..<Self.count {
      let digits = String(number)
      let uuid = "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
      lines.append(#"{"object":"Song/\#(uuid)","values":{"title":"Song \#(number)"}}"#)
    }
    lines.append(#"{"end":true}"# + "\n")
    try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: folder) }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Ends an import by a signal, some milliseconds after its part has appeared in a folder. Returns its standard error,
  /// or `nil` if the import came first.
  private func interrupt(
    _ store: String, by number: Int32, after milliseconds: Int, in place: String
  ) throws -> String? {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: Command.path)
    process.arguments = ["import", store, file]
    (process.standardOutput, process.standardError) = (nil, errors)
    let before = try Set(names(place))
    try process.run()
    while try !names(place).contains(where: { $0.hasSuffix(".part") && !before.contains($0) }), process.isRunning {
      usleep(1_000)
    }
    usleep(UInt32(milliseconds) * 1_000)
    kill(process.processIdentifier, number)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? text : nil
  }

  func testAnInterruptedImportLeavesAStore() throws {
    var ended = 0
    for (number, milliseconds) in [(SIGINT, 0), (SIGINT, 300), (SIGINT, 1_000), (SIGTERM, 300)] {
      let store = folder + "/store"
      guard let errors = try interrupt(store, by: number, after: milliseconds, in: folder) else {
        try FileManager.default.removeItem(atPath: store)
        continue
      }
      ended += 1
      XCTAssertEqual(errors, "\nThe command was interrupted.\n")
      XCTAssertEqual(try names(folder), ["songs.jsonl"])
    }
    XCTAssertGreaterThan(ended, 1)
  }

  func testAKilledImportLeavesAStore() throws {
    let store = folder + "/store"
    var ended = 0
    for milliseconds in [0, 100, 300, 1_000] {
      guard try interrupt(store, by: SIGKILL, after: milliseconds, in: folder) != nil else {
        try FileManager.default.removeItem(atPath: store)
        continue
      }
      ended += 1
      XCTAssertFalse(FileManager.default.fileExists(atPath: store), "after \(milliseconds) ms")
    }
    XCTAssertGreaterThan(ended, 1)
    // The next import removes the part, and imports everything.
    let result = try Command.run(["import", store, file])
    XCTAssertEqual(result.output, "Inserted \(Self.count) and updated 0 objects. 0 are equal already.\n")
    XCTAssertEqual(try names(folder), ["songs.jsonl", "store"])
    XCTAssertEqual(try Command.run(["query", store, "Song", "--count"]).output, "\(Self.count)\n")
    XCTAssertEqual(try Command.run(["verify", store]).status, 0)
  }

  func testAKilledImportFillsAnEmptyDirectory() throws {
    let store = folder + "/empty"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
    XCTAssertNotNil(try interrupt(store, by: SIGKILL, after: 300, in: store))
    XCTAssertFalse(FileManager.default.fileExists(atPath: store + "/data.mdb"))
    XCTAssertEqual(try names(store).count, 1)
    let result = try Command.run(["import", store, file])
    XCTAssertEqual(result.status, 0, result.errors)
    XCTAssertFalse(try names(store).contains { $0.hasSuffix(".part") })
    XCTAssertEqual(try Command.run(["query", store, "Song", "--count"]).output, "\(Self.count)\n")
  }
}
