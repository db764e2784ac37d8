import Foundation
import RepriseLMDB
import RepriseTestSeeds
import XCTest

/// After random commits and lost meta pages, an environment has the rows of a plain dictionary.
final class AfterImageRandomTests: AfterImageTestCase {
  func testLostMetaPagesLoseNoCommitWithAfterImage() throws {
    var repetitions = 0
    for seed in testSeeds(12) {
      try setUpWithError()
      var random = SeededGenerator(seed: seed)
      try openDurably().close()
      var rows = Rows(uniqueKeysWithValues: Self.tables.map { ($0, [:]) })
      for round in 0..<12 {
        let (expected, mustRepeat) = try live(rows, &random)
        let structure = try XCTUnwrap(try DataFile.structure(of: directory))
        XCTAssertTrue(structure.isSound, "\(structure.problems) in round \(round) of seed \(seed)")
        let environment = try openDurably()
        XCTAssertEqual(try self.rows(environment), expected, "round \(round) of seed \(seed)")
        XCTAssertEqual(environment.counters[.repetition], mustRepeat ? 1 : 0, "round \(round) of seed \(seed)")
        repetitions += environment.counters[.repetition]
        environment.close()
        rows = expected
      }
      try tearDownWithError()
    }
    XCTAssertGreaterThan(repetitions, 0)
    try setUpWithError()
  }

  /// Commits a few times, closes the environment, and may lose the last meta page, and damage its after-image.
  ///
  /// - Returns: The rows that the next opening must find, and whether it must repeat a commit.
  private func live(_ rows: Rows, _ random: inout SeededGenerator) throws -> (Rows, mustRepeat: Bool) {
    var (rows, before) = (rows, rows)
    let environment = try openDurably()
    var earlier: [UInt8] = []
    var hasAfterImage = false
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      (earlier, before) = (try bytes(), rows)
      let count = environment.counters[.afterImage]
      rows = try commit(in: environment, rows, &random)
      hasAfterImage = environment.counters[.afterImage] > count
    }
    let last = try head(environment)
    environment.close()
    if Int.random(in: 0..<3, using: &random) == 0 { return (rows, false) }
    try loseMetaPage(of: last, earlier)
    if !hasAfterImage { return (before, false) }
    if Int.random(in: 0..<3, using: &random) > 0 { return (rows, true) }
    let place = try place(of: last)
    let length = try bytes()[place + 4..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    let offset = place + Int.random(in: 0..<length, using: &random)
    try patch([try bytes()[offset] ^ UInt8.random(in: 1...255, using: &random)], at: offset)
    return (before, false)
  }

  private func commit(in environment: Environment, _ rows: Rows, _ random: inout SeededGenerator) throws -> Rows {
    var rows = rows
    // Some commits are too large for an after-image.
    let steps = Int.random(in: 0..<6, using: &random) == 0 ? 120 : Int.random(in: 1...20, using: &random)
    try environment.write { transaction throws(StorageError) in
      for _ in 0..<steps {
        let name = Self.tables[Int.random(in: 0..<Self.tables.count, using: &random)]
        let table = environment[name]
        let key = "key \(Int.random(in: 0..<60, using: &random))"
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          try transaction.removeAll(table)
          rows[name] = [:]
        case 1..<6:
          try transaction.delete(table, key: Array(key.utf8).span.bytes)
          rows[name]?[key] = nil
        case 6..<9:
          let value = Array("inserted".utf8)
          if (try? transaction.insert(table, key: Array(key.utf8).span.bytes, value: value.span.bytes)) != nil {
            rows[name]?[key] = "inserted"
          }
        case 9..<11:
          var cursor = try transaction.writeCursor(table)
          try cursor.put(key: Array(key.utf8).span.bytes, value: Array("by a cursor".utf8).span.bytes)
          rows[name]?[key] = "by a cursor"
        default:
          let value = String(repeating: "v", count: Int.random(in: 0...1500, using: &random))
          try transaction.put(table, key, value)
          rows[name]?[key] = value
        }
      }
    }
    return rows
  }
}
