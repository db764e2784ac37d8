import Foundation
@testable import RepriseLMDB
import RepriseTestSeeds
import XCTest

/// Reading the mapped pages finds what LMDB finds, whatever is in a table, and survives damage.
final class MappedTests: StructureTestCase {
  func testSnapshotsAreReadWithoutLMDB() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    let transaction = try environment.beginRead()
    XCTAssertNotNil(transaction.view.reader(environment["t"]).tree)
    XCTAssertNil(try transaction.view.cursor(environment["t"]).cursor)
  }

  func testLookUpsAndCursorsFindWhatLMDBFinds() throws {
    for seed in testSeeds(20) {
      try setUpWithError()
      var random = SeededGenerator(seed: seed)
      let environment = try open(["other", "t", "u"])
      var keys = try Keys(&random)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        try change(environment, &keys, &random)
        try compare(environment, keys, &random, seed)
      }
      environment.close()
      try tearDownWithError()
    }
  }

  func testAnOlderSnapshotIsReadWhileOthersAreWritten() throws {
    var random = SeededGenerator(seed: testSeed())
    let environment = try open(["other", "t", "u"])
    var keys = try Keys(&random)
    try change(environment, &keys, &random)
    let transaction = try environment.beginRead()
    let before = try rows(transaction.view, environment["t"])
    for _ in 0..<5 { try change(environment, &keys, &random) }
    XCTAssertEqual(try rows(transaction.view, environment["t"]), before)
  }

  func testAMapThatHasGrownIsFoundAgain() throws {
    let environment = try open { $0.mapSize = 1 << 20 }
    let table = environment["t"]
    for number in 0..<200 { try environment.put(table, "key \(number)", String(repeating: "v", count: 20_000)) }
    for number in 0..<200 {
      let transaction = try environment.beginRead()
      let key = Array("key \(number)".utf8)
      let reader = transaction.view.reader(table)
      XCTAssertNotNil(reader.tree)
      XCTAssertEqual(try reader.get(key.span.bytes)?.byteCount, 20_000)
    }
  }

  /// Whatever a page says: rows or an error, and an end.
  func testDamagedPagesAreErrorsAndNotCrashesOrEndlessWalks() throws {
    let bytes = try sample()
    let pages = bytes.count / pageSize
    for seed in testSeeds(150) {
      var random = SeededGenerator(seed: seed)
      var damaged = bytes
      let page = Int.random(in: 2..<pages, using: &random)
      // The tables' heads are found by LMDB.
      if Page(bytes: Array(bytes[page * pageSize..<(page + 1) * pageSize])).holdsTables { continue }
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        // Headers and node offsets more often than values.
        let place = Int.random(in: 0..<(Bool.random(using: &random) ? 64 : pageSize), using: &random)
        damaged[page * pageSize + place] = UInt8.random(in: 0...255, using: &random)
      }
      try write(damaged)
      let environment = try open(["a", "b", "empty"]) { $0.checksStructure = false }
      try walk(environment, seed)
      environment.close()
    }
  }

  // MARK: Helpers

  private func walk(_ environment: Environment, _ seed: UInt64) throws {
    let transaction = try environment.beginRead()
    for name in ["a", "b", "empty"] {
      for isForward in [true, false] {
        var cursor = try transaction.view.cursor(environment[name])
        var count = 0
        var isDone = false
        while !isDone {
          guard let key = try? next(&cursor, isForward) else {
            isDone = true
            continue
          }
          count += 1
          let reader = transaction.view.reader(environment[name])
          _ = try? reader.get(key.span.bytes)?.byteCount
          guard count <= 100_000 else { return XCTFail("no end; seed \(seed)") }
        }
      }
      // In one go, to the end or to an error.
      var passed = 0
      var cursor = try transaction.view.cursor(environment[name])
      guard (try? next(&cursor, true)) != nil else { continue }
      try? cursor.advance(beginningWith: RawSpan()) { _, _ in
        passed += 1
        return passed <= 100_000
      }
      XCTAssertLessThanOrEqual(passed, 100_000, "no end; seed \(seed)")
      cursor = try transaction.view.cursor(environment[name])
      _ = try? next(&cursor, true)
      _ = try? cursor.advance(by: .max)?.key.byteCount
    }
  }

  /// Those of a table, of one length and alike, or of all kinds.
  private struct Keys {
    let isOfObjects: Bool
    let longestValue: Int
    var known: Set<[UInt8]> = []

    init(_ random: inout SeededGenerator) throws {
      isOfObjects = Bool.random(using: &random)
      longestValue = [0, 40, 9_000].randomElement(using: &random) ?? 0
    }

    func new(_ random: inout SeededGenerator) -> [UInt8] {
      if isOfObjects {
        let prefix: [UInt8] = [0, 0, 0, .random(in: 0...1, using: &random), 1, 2, 3, 4]
        return prefix + (0..<12).map { _ in UInt8.random(in: 0...3, using: &random) }
      }
      let count = Int.random(in: 1...(Bool.random(using: &random) ? 40 : 500), using: &random)
      return (0..<count).map { _ in UInt8.random(in: 0...1, using: &random) }
    }
  }

  private func change(
    _ environment: Environment, _ keys: inout Keys, _ random: inout SeededGenerator
  ) throws {
    let (count, share) = (Int.random(in: 0...800, using: &random), Int.random(in: 1...4, using: &random))
    try environment.write { transaction throws(StorageError) in
      for _ in 0..<count {
        if Int.random(in: 0..<5, using: &random) >= share, let key = keys.known.randomElement(using: &random) {
          try transaction.delete(environment["t"], key: key.span.bytes)
          keys.known.remove(key)
        } else {
          let key = keys.new(&random)
          let value = [UInt8](repeating: 7, count: Int.random(in: 0...keys.longestValue, using: &random))
          try transaction.put(environment["t"], key: key.span.bytes, value: value.span.bytes)
          keys.known.insert(key)
        }
      }
    }
  }

  private func next(_ cursor: inout Cursor, _ isForward: Bool) throws -> [UInt8]? {
    if isForward { return try cursor.next()?.key.bytes }
    return try cursor.previous()?.key.bytes
  }

  private func rows(_ view: View, _ table: Table) throws -> [[UInt8]] {
    var cursor = try view.cursor(table)
    var rows: [[UInt8]] = []
    while let entry = try cursor.next() { rows.append(entry.key.bytes + entry.value.bytes) }
    return rows
  }

  private func compare(
    _ environment: Environment, _ keys: Keys, _ random: inout SeededGenerator, _ seed: UInt64
  ) throws {
    let transaction = try environment.beginRead()
    let table = environment["t"]
    // As a writer's view is read.
    let plain = View(unsafe: transaction.transaction, isSnapshot: false)
    let reader = transaction.view.reader(table)
    XCTAssertNotNil(reader.tree, "seed \(seed)")
    XCTAssertEqual(try rows(transaction.view, table).count, keys.known.count, "seed \(seed)")
    for key in keys.known.prefix(200) + (0..<200).map({ _ in keys.new(&random) }) {
      let found = try reader.get(key.span.bytes)?.bytes
      XCTAssertEqual(found, try plain.get(table, key: key.span.bytes)?.bytes, "\(key); seed \(seed)")
      XCTAssertEqual(found != nil, keys.known.contains(key), "\(key); seed \(seed)")
    }
    var mapped = try transaction.view.cursor(table)
    var cursor = try plain.cursor(table)
    var isPlaced = true
    for _ in 0..<600 {
      let move = Int.random(in: isPlaced ? 0..<17 : 8..<12, using: &random)
      let key = Bool.random(using: &random) ? keys.known.randomElement(using: &random) : nil
      let sought = key ?? keys.new(&random)
      let one: [UInt8]?
      let other: [UInt8]?
      switch move {
      case 0..<4: (one, other) = (try mapped.next()?.all, try cursor.next()?.all)
      case 4..<7: (one, other) = (try mapped.previous()?.all, try cursor.previous()?.all)
      case 7: (one, other) = (try mapped.current()?.all, try cursor.current()?.all)
      case 8: (one, other) = (try mapped.first()?.all, try cursor.first()?.all)
      case 9: (one, other) = (try mapped.last()?.all, try cursor.last()?.all)
      case 12:
        let count = Int.random(in: 0..<(Bool.random(using: &random) ? 5 : 300), using: &random)
        (one, other) = (try mapped.advance(by: count)?.all, try cursor.advance(by: count)?.all)
      case 13:
        var passed = (0, 0)
        one = try mapped.advance(to: sought.span.bytes, counting: &passed.0)?.all
        other = try cursor.advance(to: sought.span.bytes, counting: &passed.1)?.all
        XCTAssertEqual(passed.0, passed.1, "to \(sought); seed \(seed)")
      case 14:
        var passed: ([[UInt8]], [[UInt8]]) = ([], [])
        one = try mapped.advance(to: sought.span.bytes) { passed.0.append($0.bytes) }?.all
        other = try cursor.advance(to: sought.span.bytes) { passed.1.append($0.bytes) }?.all
        XCTAssertEqual(passed.0, passed.1, "to \(sought); seed \(seed)")
      case 15:
        var passed: ([[UInt8]], [[UInt8]]) = ([], [])
        let most = Int.random(in: 0..<100, using: &random)
        let prefix = try Array((mapped.current()?.key.bytes ?? []).prefix(Int.random(in: 0..<22, using: &random)))
        try mapped.advance(beginningWith: prefix.span.bytes) {
          passed.0.append($0.bytes + $1.bytes)
          return passed.0.count < most
        }
        try cursor.advance(beginningWith: prefix.span.bytes) {
          passed.1.append($0.bytes + $1.bytes)
          return passed.1.count < most
        }
        XCTAssertEqual(passed.0, passed.1, "from \(prefix); seed \(seed)")
        // Where a cursor is behind the last is not said.
        if passed.0.count < most {
          isPlaced = false
          continue
        }
        (one, other) = (try mapped.current()?.all, try cursor.current()?.all)
      case 16:
        var values: ([[UInt8]], [[UInt8]]) = ([], [])
        let most = Int.random(in: 0..<100, using: &random)
        one = try mapped.advance(whileValue: {
          values.0.append($0.bytes); return values.0.count < most
        })?.all
        other = try cursor.advance(whileValue: {
          values.1.append($0.bytes); return values.1.count < most
        })?.all
        XCTAssertEqual(values.0, values.1, "seed \(seed)")
      default: (one, other) = (try mapped.seek(sought.span.bytes)?.all, try cursor.seek(sought.span.bytes)?.all)
      }
      XCTAssertEqual(one, other, "move \(move) to \(sought); seed \(seed)")
      // Where a cursor is after a search that found nothing is not said.
      isPlaced = move < 8 || one != nil
      if keys.known.isEmpty { return }
    }
  }
}

extension RawSpan {
  fileprivate var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

extension Entry {
  fileprivate var all: [UInt8] { key.bytes + [0xFF] + value.bytes }
}

extension Page {
  /// Whether it is a page of LMDB's own trees.
  fileprivate var holdsTables: Bool {
    (0..<nodeCount).contains { node($0)?.flags == Node.table }
  }
}
