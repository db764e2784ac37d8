import RepriseEventStore
import RepriseRestoration
import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Numbers that no sound file has, in whatever restoration reads: none is believed before the bytes are there.
final class HeaderFieldTests: RestorationTestCase {
  /// What a length, a count or another number may be forged to: nothing, and far more than there is, up to what is
  /// negative as an `Int`.
  private static let forged: [[UInt8]] = [
    [0], [0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], Array(repeating: 0xFF, count: 9) + [1],
  ]

  /// The address space that the process has had at most, in KiB. A count that is believed takes gigabytes of it at
  /// least, whether they are touched or not.
  private func peak() throws -> Int {
    #if os(Linux)
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmPeak:") })
    return try XCTUnwrap(line.split(whereSeparator: \.isWhitespace).dropLast().last.flatMap { Int($0) })
    #else
    throw XCTSkip("nothing tells how much was asked for")
    #endif
  }

  /// Puts every forged number at every place of some bytes.
  private func forge(_ bytes: [UInt8], _ body: ([UInt8]) async throws -> Void) async throws {
    for place in bytes.indices {
      for number in Self.forged { try await body(Array(bytes[..<place]) + number + bytes[(place + 1)...]) }
    }
  }

  func testNoNumberInAnyRecordOfAnArchiveIsBelievedBeforeTheBytesAreThere() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b"])
    let first = restoration()
    try first.definePlain { $0.path.id != "a" }
    try await first.restore()
    try first.move(at: .of("tabs/b"), to: 0)
    try first.select("b", at: .of("tabs"))
    try first.openPlain("more")
    try first.save()
    await endOfTurn()
    let whole = storage.records
    XCTAssertTrue(whole.keys.contains("/"), "the archive's account of itself is among them")
    let before = try peak()
    for (key, record) in whole {
      try await forge(Array(record.dropFirst(4))) { body in
        storage.records = whole
        storage.records[key] = checksummed(body, key: key)
        let run = restoration()
        try run.definePlain()
        _ = try await run.restore { info in
          XCTAssertGreaterThanOrEqual(info.nodeCount, 0)
          return true
        }
        _ = try run.children(of: nil)
        if key == "/" {
          // A number of nodes is added to.
          try run.openPlain("later")
          try run.save()
        }
        run.end()
      }
    }
    XCTAssertLessThan(try peak() - before, 1 << 20, "more than a GiB was asked for")
  }

  func testNoNumberInTheNoteOfALaunchOrInAPreviewIsBelievedBeforeTheBytesAreThere() async throws {
    try await leave(["a"])
    let first = restoration()
    first.reportsDisplay = true
    try first.definePlain()
    try await first.restore()
    try await first.keepPreview([1, 2, 3])
    let note = try XCTUnwrap(storage.notes["main"]?.read())
    let before = try peak()
    try await forge(note) { bytes in
      storage.notes["main"]?.write(bytes)
      let run = restoration()
      try run.definePlain()
      try await run.restore()
      run.end()
    }
    XCTAssertLessThan(try peak() - before, 1 << 20, "more than a GiB was asked for")
  }

  func testANoteThatIsSaidToBeLongerThanItsFileIsNone() throws {
    let folder = NSTemporaryDirectory() + "reprise-note-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/journals", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A short note is in the slot of its scene, and a long one in a file.
    for (note, suffix) in [([1, 2, 3], "launches-\(geteuid())"), ([UInt8](repeating: 1, count: 200), ".scene")] {
      XCTAssertTrue(SceneNote.launch(of: "main", at: folder).write(note))
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/journals")
      let path = folder + "/journals/" + (try XCTUnwrap(files.first { $0.hasSuffix(suffix) }))
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      let start = suffix == ".scene" ? 0 : bytes.count - 8 - note.count
      for size: [UInt8] in [[0, 0, 0, 0], [4, 0, 0, 0], [0xFF, 0xFF, 0x7F, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
        for length in [0, 300, 500] {
          let forged = bytes[..<start] + size + bytes[(start + 4)...] + Array(repeating: 0, count: length)
          try Data(forged).write(to: URL(fileURLWithPath: path))
          try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
          XCTAssertNil(SceneNote.launch(of: "main", at: folder).read(), "\(suffix), \(size), \(length)")
        }
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      XCTAssertEqual(SceneNote.launch(of: "main", at: folder).read(), note)
    }
  }
}
