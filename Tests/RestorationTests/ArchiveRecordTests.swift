import RepriseCore
import RepriseRestoration
import RepriseTestModels
import RepriseTesting
import XCTest

final class ArchiveRecordTests: RestorationTestCase {
  private func restored() async throws -> (Restoration, RestorationReport) {
    let run = restoration()
    try run.definePlain()
    return (run, try await run.restore())
  }

  func testANodeCutOffAtAnyByteIsCorruptAndTheRestLives() async throws {
    try await leave(["a", "a/b", "c"])
    let whole = storage.records
    let bytes = try XCTUnwrap(whole["a/b"])
    for length in bytes.indices {
      storage.records = whole
      storage.records["a/b"] = Array(bytes[..<length])
      let before = storage.records
      let (run, report) = try await restored()
      guard case .corrupt? = report.outcome("a/b") else { return XCTFail("\(length): \(report.entries)") }
      XCTAssertEqual(report.outcome("a"), .restored)
      XCTAssertEqual(report.outcome("c"), .restored)
      try run.save()
      XCTAssertEqual(storage.records, before)
    }
  }

  func testANodeWithAnyByteChangedIsCorruptAndTheRestLives() async throws {
    try await leave(["a", "a/b", "a/b/c", "d"])
    let whole = storage.records
    let bytes = try XCTUnwrap(whole["a/b"])
    for index in bytes.indices {
      for bit in [0, 7] {
        storage.records = whole
        storage.records["a/b"]?[index] ^= 1 << UInt8(bit)
        let (_, report) = try await restored()
        guard case .corrupt? = report.outcome("a/b") else { return XCTFail("\(index): \(report.entries)") }
        XCTAssertEqual(report.outcome("a/b/c"), .skipped(reason: "the screen 'a/b' above it was not restored"))
        XCTAssertEqual(report.outcome("a"), .restored)
        XCTAssertEqual(report.outcome("d"), .restored)
      }
    }
  }

  func testHeaderFieldsThatCannotBeAreRefusedThoughTheChecksumFits() async throws {
    try await leave(["a"])
    let body = Array(try XCTUnwrap(storage.records["a"]).dropFirst(4))
    // Format, flags, "plain" sized, order, number of needs; then the state: version, number of keys, "row" sized, tag,
    // length and count of the pairs, number of the key, value.
    let state: [UInt8] = [1, 1, 3] + Array("row".utf8) + [12, 3, 1, 0, 128]
    XCTAssertEqual(body, [1, 0, 5] + Array("plain".utf8) + [1, 0] + state)
    // As a varint: beyond what is there, beyond what fits memory, the largest, and longer than any.
    let huge: [[UInt8]] = [
      [0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], Array(repeating: 0xFF, count: 9) + [1], Array(repeating: 0xFF, count: 11),
    ]
    enum Refusal { case corrupt, newer, unreadable }
    func check(_ field: Int, _ bytes: [UInt8], _ expected: Refusal, line: UInt = #line) async throws {
      storage.records["a"] = checksummed(body[..<field] + bytes + body[(field + 1)...], key: "a")
      let before = storage.records
      let (run, report) = try await restored()
      let outcome = report.outcome("a")
      switch (expected, outcome) {
      case (.corrupt, .corrupt?): break
      case (.newer, .failed(let reason)?): XCTAssertTrue(reason.contains("newer"), reason, line: line)
      case (.unreadable, .failed(let reason)?): XCTAssertTrue(reason.contains("state"), reason, line: line)
      default: XCTFail("\(field) \(bytes): \(outcome.map { "\($0)" } ?? "nothing")", line: line)
      }
      try run.save()
      XCTAssertEqual(storage.records, before, line: line)
    }
    try await check(0, [0], .corrupt)
    for format: UInt8 in [2, 3, 0x7F, 0x80, 0xFF] { try await check(0, [format], .newer) }
    for flags: UInt8 in [32, 64, 128, 0x7F, 0xFF] { try await check(1, [flags], .corrupt) }
    // The name of the kind, and the needs.
    for field in [2, 9] { for length in huge { try await check(field, length, .corrupt) } }
    // A number of needs that are not there.
    try await check(9, [100], .corrupt)
    for version: UInt8 in [0, 2, 0x7F, 0x80, 0xFF] { try await check(10, [version], .unreadable) }
    for field in [11, 12, 17, 18] { for count in huge { try await check(field, count, .unreadable) } }
    for field in [12, 17, 18] { try await check(field, [0], .unreadable) }
    for key in huge { try await check(19, key, .unreadable) }
  }

  func testTheLargestOrderThereIsStopsNothing() async throws {
    try await leave(["a"])
    let body = Array(try XCTUnwrap(storage.records["a"]).dropFirst(4))
    // Format, flags, "plain" sized, order.
    let largest = body[..<8] + Array(repeating: 0xFF, count: 9) + [1] + body[9...]
    storage.records["a"] = checksummed(Array(largest), key: "a")
    let (run, report) = try await restored()
    XCTAssertEqual(report.outcome("a"), .restored)
    try run.openPlain("b")
    try run.openPlain("a/c").node.move(under: nil)
    try run.save()
    let (_, next) = try await restored()
    XCTAssertEqual(Set(next.entries.map(\.path.text)), ["a", "b", "c"])
  }

  /// The record of a node with a place and a selection, byte for byte.
  func testANodeThatWasMovedAndShowsOneChildSaysSo() async throws {
    try await leave(["a", "b"])
    let (run, _) = try await restored()
    try run.move(at: .of("b"), to: 0)
    try run.select("tab", at: .of("b"))
    try run.save()
    let kind = [5] + Array("plain".utf8)
    let place: [UInt8] = [9, 0, 0, 0, 0, 0, 0, 0, 0, 255]
    let state: [UInt8] = [1, 1, 3] + Array("row".utf8) + [12, 3, 1, 0, 129]
    let body = [1, 4 | 8] + kind + [2, 0] + place + [3] + Array("tab".utf8) + state
    XCTAssertEqual(storage.records["b"], checksummed(body, key: "b"))
    XCTAssertEqual(storage.records["a"]?[5], 0)
    // What only a forged archive has, stops nothing.
    for place: [UInt8] in [[], [0], [255, 255], Array(repeating: 0, count: 20), Array(repeating: 255, count: 200)] {
      var forged = body
      let sized = (place.count < 128 ? [UInt8(place.count)] : [0xC8, 1]) + place
      forged.replaceSubrange(10..<20, with: sized)
      storage.records["b"] = checksummed(forged, key: "b")
      storage.records["c"] = checksummed(forged, key: "c")
      let (run, report) = try await restored()
      XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored, .restored])
      for index in [1, 0, 2, 1] { try run.move(at: .of("a"), to: index) }
      try run.save()
    }
  }

  func testAMoveOfANodeAboveWhatCannotBeReadIsRefusedAndMovesNothing() async throws {
    try await leave(["sub", "sub/x"])
    var body = Array(try XCTUnwrap(storage.records["sub/x"]).dropFirst(4))
    body[0] = 200
    storage.records["sub/x"] = checksummed(body, key: "sub/x")
    let before = storage.records
    let (run, _) = try await restored()
    let node = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("sub"))).node
    assertThrows(
      "The screen 'sub/x' cannot be moved: this version of the program cannot read its saved state, and can only close "
        + "it. Choose another place, or leave the screen where it is.", try node.move(id: "renamed", under: nil))
    try run.save()
    XCTAssertEqual(storage.records.keys.sorted(), before.keys.sorted())
    XCTAssertEqual(storage.records["sub/x"], before["sub/x"])
    try run.close(at: .of("sub/x"))
    try node.move(id: "renamed", under: nil)
  }

  func testARecordOfANewerFormatIsNamedAsSuchAndKept() async throws {
    try await leave(["a", "b"])
    var body = Array(try XCTUnwrap(storage.records["a"]).dropFirst(4))
    body[0] = 200
    storage.records["a"] = checksummed(body, key: "a")
    let before = storage.records
    let (run, report) = try await restored()
    XCTAssertEqual(
      report.outcome("a"),
      .failed(
        reason: "its saved state has format 200, which is newer than this version of the library"))
    XCTAssertEqual(report.outcome("b"), .restored)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testADamagedAccountOfTheArchiveCostsNoNode() async throws {
    try await leave(["a", "b"])
    storage.records["/"]?[6] ^= 1
    let run = restoration()
    try run.definePlain()
    let report = try await run.restore { info in
      XCTAssertEqual(info.schemaVersion, 0)
      XCTAssertEqual(info.appVersion, "")
      XCTAssertEqual(info.savedAt, 0)
      XCTAssertEqual(info.nodeCount, 2)
      return true
    }
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored])
  }

  /// The scene's own record, byte for byte; what a later version adds behind it is passed over.
  func testTheAccountOfTheArchiveHasAllItsFields() async throws {
    let now: Int64 = 1_700_000_000_000_000
    func launch(_ info: ((ArchiveInfo) -> Void)? = nil) async throws -> Restoration {
      let run = Restoration(storage: storage, schemaVersion: -3, appVersion: "1.0", now: { now })
      run.deferredNodeRetention = DeferredNodeRetention(count: 100)
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.definePlain { $0.path.text != "gone" }
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        EditorScreen($0, $1)
      }
      try await run.restore {
        info?($0)
        return true
      }
      return run
    }
    let first = try await launch()
    try first.open(EditorScreen.kind, id: "editor", state: Row()).context.edit("typed")
    try first.close(at: .of("editor"))
    try first.openPlain("front")
    try first.save()
    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
    func signed(_ number: Int64) -> [UInt8] {
      var (left, bytes) = (UInt64(bitPattern: number << 1 ^ number >> 63), [UInt8]())
      while left >= 128 {
        bytes.append(UInt8(left & 127 | 128))
        left >>= 7
      }
      return bytes + [UInt8(left)]
    }
    var info: ArchiveInfo?
    let second = try await launch { info = $0 }
    let system = try XCTUnwrap(info?.systemVersion)
    let head = [1] + signed(-3) + text("1.0") + text(system) + signed(now)
    let left = [1] + text("editor") + text("editor") + text("root") + text("editor") + text("")
    XCTAssertEqual(storage.records["/"], checksummed(head + [0, 0, 0, 0, 0, 0] + left, key: "/"))
    try second.select("front", at: nil)
    try second.save()
    let rest = [1, 1, 2] + text("front") + [0, 0] + left
    XCTAssertEqual(storage.records["/"], checksummed(head + rest, key: "/"))
    storage.records["/"] = checksummed(head + rest + [200, 7], key: "/")
    _ = try await launch { info = $0 }
    XCTAssertEqual(
      [info?.appVersion, "\(info?.schemaVersion ?? 0)", "\(info?.savedAt ?? 0)"], ["1.0", "-3", "\(now)"])
    for cut in 1..<(head + rest).count {
      storage.records["/"] = checksummed(Array((head + rest).prefix(cut)), key: "/")
      _ = try await launch { info = $0 }
      XCTAssertEqual(info?.appVersion, "", "\(cut)")
    }
  }

  func testARecordUnderAnotherNodesKeyIsNotTakenForIt() async throws {
    try await leave(["a", "b"])
    storage.records["b"] = storage.records["a"]
    let (_, report) = try await restored()
    guard case .corrupt? = report.outcome("b") else { return XCTFail("\(report.entries)") }
    XCTAssertEqual(report.outcome("a"), .restored)
  }

  func testARecordUnderAKeyThatIsNoPathIsCorrupt() async throws {
    try await leave(["a"])
    for key in ["a//b", " ", "a/", "//0123"] {
      storage.records[key] = storage.records["a"]
      let body = Array(try XCTUnwrap(storage.records["a"]).dropFirst(4))
      storage.records[key] = checksummed(body, key: key)
    }
    let (_, report) = try await restored()
    XCTAssertEqual(report.entries.count, 5)
    XCTAssertEqual(report.entries.count { if case .corrupt = $0.outcome { true } else { false } }, 4)
    XCTAssertEqual(report.outcome("a"), .restored)
  }

  func testANodeWithoutTheOneAboveItIsSkipped() async throws {
    try await leave(["a", "a/b", "a/b/c"])
    storage.records["a/b"] = nil
    let before = storage.records
    let (run, report) = try await restored()
    XCTAssertEqual(report.outcome("a/b/c"), .skipped(reason: "its parent screen 'a/b' is not in the archive"))
    XCTAssertEqual(report.outcome("a"), .restored)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testLongPathsAreKeysThatAnyStorageTakes() async throws {
    let long = String(repeating: "long ", count: 100) + "."
    try await leave(["a", "a/\(long)", "a/\(long)/b"])
    XCTAssertTrue(storage.records.keys.allSatisfy { $0.utf8.count <= 255 })
    let (_, report) = try await restored()
    XCTAssertEqual(report.entries.map(\.path.text), ["a", "a/\(long)", "a/\(long)/b"])
    XCTAssertTrue(report.entries.allSatisfy { $0.outcome == .restored })
  }

  /// The IDs that are derived from others, pinned: Swift's own hashes differ from process to process.
  func testDerivedKeysAreTheSameInEveryProcess() async throws {
    let long = String(repeating: "long ", count: 100) + "."
    try await leave(["a", "a/\(long)"])
    XCTAssertNotNil(storage.records["//9c888157627a3b4da2145655110009bf2927bbab7a078f71a90a95954cc556d3"])
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = Restoration(temporary.store, scene: "main")
    try await run.restore()
    try await run.keepPreview([1])
    let files = try FileManager.default.contentsOfDirectory(atPath: temporary.store.path + "/journals")
    XCTAssertEqual(files.filter { $0.hasSuffix(".preview") }, ["0d6e4079e36703ebd37c00722f5891d2.preview"])
  }

  /// The records of a node with a context, an identity and a version, and of one whose key is a hash, byte for byte.
  func testARecordHasTheFieldsThatItsFlagsName() async throws {
    let editor = NodeKind<Row, EditorScreen>("editor", version: 3)
    let run = restoration()
    try run.register(MemoryContext(storage), as: Keys.root)
    try run.define(editor, needs: .ownContext(under: ContextParent(registeredAs: "root"))) { EditorScreen($0, $1) }
    try run.define(EditorScreen.nested, needs: .ownContext(under: .nearestAncestorNode)) { EditorScreen($0, $1) }
    try await run.restore()
    let outer = try run.open(editor, id: "a", state: Row())
    let long = String(repeating: "x", count: 300)
    let inner = try run.open(EditorScreen.nested, id: long, under: .of("a"), state: Row())
    outer.context.edit("typed")
    let reference = try XCTUnwrap(outer.node.reference)
    try outer.node.move(id: "b", under: nil)
    try run.save()
    func text(_ text: String) -> [UInt8] {
      let count = text.utf8.count
      return (count < 128 ? [UInt8(count)] : [UInt8(count & 127 | 128), UInt8(count >> 7)]) + Array(text.utf8)
    }
    let state: [UInt8] = [1, 1, 3] + Array("row".utf8) + [12, 3, 1, 0, 128]
    let identity = try StateValue(encoding: reference).text
    let needs = [1] + text("root")
    let first = [1, 1 | 2 | 16] + text("editor") + [1] + needs + text("a") + text("/root")
    XCTAssertEqual(
      storage.records["b"], checksummed(first + text(try XCTUnwrap(identity)) + [3] + state, key: "b"))
    let key = try XCTUnwrap(storage.records.keys.first { $0.hasPrefix("//") })
    let second = [1, 1] + text("nested editor") + [2] + text("b/" + long) + [0] + text("a/" + long) + text("b")
    XCTAssertEqual(storage.records[key], checksummed(second + state, key: key))
    withExtendedLifetime(inner) {}
  }

  func testARecordWhoseKeyIsTheHashOfAnotherIsCorrupt() async throws {
    let long = String(repeating: "x", count: 300)
    try await leave([long])
    let key = try XCTUnwrap(storage.nodes.keys.first)
    var body = Array(try XCTUnwrap(storage.records[key]).dropFirst(4))
    let last = try XCTUnwrap(body.lastIndex(of: UInt8(ascii: "x")))
    body[last] = UInt8(ascii: "y")
    storage.records[key] = checksummed(body, key: key)
    let (_, report) = try await restored()
    XCTAssertEqual(
      report.entries.map(\.outcome), [.corrupt(reason: "it is stored under the key of another screen")])
  }

  /// The bytes are on disks: they may be added to, and never change their meaning.
  func testTheFormatIsTheOneThatIsOnDisks() async throws {
    try await leave(["a"])
    XCTAssertEqual(
      storage.records["a"],
      [0x34, 0x5D, 0x3C, 0x0C, 1, 0, 5, 0x70, 0x6C, 0x61, 0x69, 0x6E, 1, 0]
        + [1, 1, 3, 0x72, 0x6F, 0x77, 12, 3, 1, 0, 0x80])
  }
}
