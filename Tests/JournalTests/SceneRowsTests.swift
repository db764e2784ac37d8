import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

@testable import RepriseJournal

/// The rows of scenes: read in part, and written where something changed.
final class SceneRowsTests: JournalTestCase {
  private func put(_ key: String, _ byte: UInt8 = 0, scene: String = "main") -> JournalEntry {
    .nodePut(scene: scene, key: key, bytes: [byte])
  }

  private func withImage<R>(_ journal: Journal, _ body: (SceneImage, View) throws -> R) throws -> R {
    let recovery = try journal.recovery()
    let transaction = try environment.beginRead()
    return try body(try recovery.scene(.scene("main"), transaction.view), transaction.view)
  }

  private func all(_ journal: Journal) throws -> [String: [UInt8]] {
    try withImage(journal) { try $0.all($1).nodes.byKey }
  }

  private func group(_ journal: Journal, _ name: String) throws -> [String: [UInt8]] {
    try withImage(journal) { try $0.group(name, $1).nodes.byKey }
  }

  private func node(_ journal: Journal, _ key: String) throws -> [String: [UInt8]] {
    try withImage(journal) { try $0.node(key, $1).nodes.byKey }
  }

  private func rows() throws -> [[UInt8]: [UInt8]] {
    try environment.read { transaction throws(StorageError) in
      let rows = try JournalRow.read(transaction.view, tables.archives, prefix: [])
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.value) })
    }
  }

  func testPartsAreReadFromRowsAndFromTheJournal() throws {
    let journal = try open()
    journal.append([put("/"), put("/key"), put("a", 1), put("a/b", 2), put("a/c", 3), put("a/b/d", 4), put("ab", 5)])
    XCTAssertFalse(try withImage(journal) { try $0.hasParts($1) })
    try checkpoint(journal)
    XCTAssertTrue(try withImage(journal) { try $0.hasParts($1) })
    journal.append([put("a/e", 6), put("a/b", 7), .nodeRemoved(scene: "main", key: "a/c")])
    journal.append([put("a/b", 8, scene: "side")])
    for isCheckpointed in [false, true] {
      XCTAssertEqual(try group(journal, ""), ["a": [1], "ab": [5]])
      XCTAssertEqual(try group(journal, "/"), ["/": [0], "/key": [0]])
      XCTAssertEqual(try group(journal, "a/"), ["a/b": [7], "a/e": [6]])
      XCTAssertEqual(try group(journal, "a/b/"), ["a/b/d": [4]])
      XCTAssertEqual(try group(journal, "a/c/"), [:])
      XCTAssertEqual(try node(journal, "a/b"), ["a/b": [7]])
      XCTAssertEqual(try node(journal, "a/c"), [:])
      XCTAssertEqual(try node(journal, "a"), ["a": [1]])
      XCTAssertEqual(try all(journal).count, 7)
      if !isCheckpointed { try checkpoint(journal) }
    }
    journal.append([.sceneCleared(scene: "main"), put("z")])
    XCTAssertFalse(try withImage(journal) { try $0.hasParts($1) })
    XCTAssertEqual(try all(journal), ["z": [0]])
    try checkpoint(journal)
    XCTAssertEqual(try all(journal), ["z": [0]])
    XCTAssertEqual(try rows().count, 2)
  }

  func testACheckpointWritesTheRowsOfChangedNodesOnly() throws {
    let journal = try open()
    journal.append((0..<500).map { put("tabs/\($0)") })
    try checkpoint(journal)
    let before = try rows()
    journal.append([put("tabs/7", 9), put("tabs/8"), .nodeRemoved(scene: "main", key: "tabs/9"), put("new")])
    // What was never there may be said to be gone.
    journal.append([.nodeRemoved(scene: "main", key: "nobody")])
    try checkpoint(journal)
    let after = try rows()
    XCTAssertEqual(after.filter { before[$0.key] != $0.value }.count, 2)
    XCTAssertEqual(before.filter { after[$0.key] == nil }.count, 1)
    XCTAssertEqual(after.count, 500)
  }

  func testADamagedRowCostsItsNodeAndIsTold() throws {
    let journal = try open()
    journal.append([put("a", 1), put("a/b", 2), put("a/c", 3)])
    try checkpoint(journal)
    let found = try rows()
    let key = try XCTUnwrap(found.first { $0.value.suffix(4) == Array("a/b".utf8) + [2] }?.key)
    let other = try XCTUnwrap(found.first { $0.key != key }?.value)
    var check = SceneRowCheck()
    XCTAssertEqual(
      key.withUnsafeBytes { key in other.withUnsafeBytes { check.add(key, $0) } },
      "it is stored under the key of another screen")
    try environment.write { transaction throws(StorageError) in
      try JournalRow.replace(key, with: [1, 2, 3, 4, 5], transaction, tables.archives)
    }
    try withImage(journal) { image, view in
      for found in [try image.group("a/", view), try image.node("a/b", view), try image.all(view)] {
        XCTAssertEqual(found.problems.count, 1)
        XCTAssertNil(found.nodes.byKey["a/b"])
      }
      XCTAssertEqual(try image.group("a/", view).nodes.byKey, ["a/c": [3]])
    }
    journal.append([put("a/b", 9)])
    try checkpoint(journal)
    XCTAssertEqual(try all(journal), ["a": [1], "a/b": [9], "a/c": [3]])
  }

  func testRandomChangesReadInPartsAreThoseOfADictionary() throws {
    for seed in testSeeds(8) {
      var generator = SeededGenerator(seed: seed)
      try tearDownWithError()
      try setUpWithError()
      var journal = try open()
      var nodes: [String: [UInt8]] = [:]
      func key() -> String {
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in String(Int.random(in: 0..<4, using: &generator)) }
          .joined(separator: "/")
      }
      for step in 0..<150 {
        let (key, where_) = (key(), "seed \(seed), step \(step)")
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: journal.append([.sceneCleared(scene: "main")]); nodes = [:]
        case 1, 2: try checkpoint(journal)
        case 3:
          try journal.write()
          journal.abandon()
          journal = try open()
        case 4..<14:
          journal.append([.nodeRemoved(scene: "main", key: key)])
          nodes[key] = nil
        default:
          let count = Int.random(in: 0..<20, using: &generator) == 0 ? 5_000 : 3
          let bytes = [UInt8](repeating: UInt8(step), count: count)
          journal.append([.nodePut(scene: "main", key: key, bytes: bytes)])
          nodes[key] = bytes
          if Bool.random(using: &generator) { try journal.write() }
        }
        if step % 10 == 9 {
          try journal.write()
          XCTAssertTrue(try all(journal) == nodes, where_)
          for name in ["", "1/", "2/3/"] {
            let expected = nodes.filter { $0.key.hasPrefix(name) && !$0.key.dropFirst(name.count).contains("/") }
            XCTAssertTrue(try group(journal, name) == expected, where_)
          }
          XCTAssertTrue(try node(journal, key) == nodes.filter { $0.key == key }, where_)
        }
      }
      journal.abandon()
    }
  }
}
