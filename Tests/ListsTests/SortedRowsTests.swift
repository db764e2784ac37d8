import RepriseLists
import RepriseTestSeeds
import XCTest

final class SortedRowsTests: XCTestCase {
  private struct Note: Identifiable, Equatable {
    let id: Int
    var rank: Int
    var text = ""
  }

  private func rows(_ notes: [Note]) -> SortedRows<Note> {
    SortedRows(notes) { ($0.rank, $0.id) < ($1.rank, $1.id) }
  }

  private func notes(_ rows: SortedRows<Note>) -> [Note] { (0..<rows.count).map { rows[$0] } }

  func testARowThatOnlyShowsSomethingElseDoesNotMove() {
    var rows = rows((0..<5).map { Note(id: $0, rank: $0 * 10) })
    let changes = rows.apply([Note(id: 2, rank: 24, text: "new")])
    XCTAssertEqual(
      changes,
      ListChanges(updatedRows: [.init(before: RowPath(item: 2), after: RowPath(item: 2), properties: [])]))
  }

  func testWhatIsTheSameAsBeforeIsNoChange() {
    var rows = rows([Note(id: 1, rank: 1)])
    XCTAssertEqual(rows.apply([Note(id: 1, rank: 1)], removing: [7]), ListChanges())
  }

  func testARowThatIsPutInAndTakenOutStays() {
    var rows = rows([Note(id: 1, rank: 1)])
    XCTAssertEqual(rows.apply([Note(id: 1, rank: 1)], removing: [1]), ListChanges())
    XCTAssertEqual(rows.apply([Note(id: 2, rank: 0), Note(id: 2, rank: 3)])?.insertedRows, [RowPath(item: 1)])
  }

  func testTooManyChangesAreAReset() {
    var rows = rows([])
    XCTAssertNil(rows.apply((0..<10_001).map { Note(id: $0, rank: $0) }))
    XCTAssertEqual(rows.count, 10_001)
    XCTAssertEqual(rows.index(of: 10_000), 10_000)
  }

  func testAnOrderThatDoesNotDecideLosesNoRow() {
    var rows = SortedRows((0..<2_000).map { Note(id: $0, rank: 0) }) { $0.rank < $1.rank }
    for id in [1_999, 3, 700] {
      _ = rows.apply([Note(id: id, rank: 0, text: "new")])
      XCTAssertEqual(rows.index(of: id).map { rows[$0].text }, "new")
      _ = rows.apply([Note](), removing: [id])
      XCTAssertNil(rows.index(of: id))
    }
    XCTAssertEqual(Set(notes(rows).map(\.id)).count, 1_997)
  }

  func testRandomEditsLeadFromTheRowsBeforeToTheRowsAfter() {
    for seed in testSeeds(3) {
      var numbers = SeededGenerator(seed: seed)
      let size = [0, 5, 600, 3_000].randomElement(using: &numbers) ?? 0
      var plain = Dictionary(
        uniqueKeysWithValues: (0..<size).map { ($0, Note(id: $0, rank: .random(in: 0..<99, using: &numbers))) })
      var rows = rows(Array(plain.values))
      var shown = [notes(rows)]
      for step in 0..<60 {
        let before = ListSnapshot(rowCount: rows.count)
        let count = Int.random(in: 1...([1, 4, 40, 900].randomElement(using: &numbers) ?? 1), using: &numbers)
        var upserted: [Note] = []
        var removed: Set<Int> = []
        for _ in 0..<count {
          let id = Int.random(in: 0..<(size + 20), using: &numbers)
          if Int.random(in: 0..<3, using: &numbers) == 0 {
            removed.insert(id)
          } else {
            let near = max(0, (plain[id]?.rank ?? 50) + Int.random(in: -2...2, using: &numbers))
            let rank = Bool.random(using: &numbers) ? near : Int.random(in: 0..<99, using: &numbers)
            upserted.append(Note(id: id, rank: rank, text: "\(step % 3)"))
          }
        }
        for id in removed { plain[id] = nil }
        for note in upserted { plain[note.id] = note }
        let changes = rows.apply(upserted, removing: removed)
        let expected = plain.values.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
        XCTAssertEqual(notes(rows), expected, "seed \(seed), step \(step)")
        XCTAssertEqual(expected.indices.first { rows.index(of: expected[$0].id) != $0 }, nil, "seed \(seed)")
        let batch = ListBatch(before: before, after: ListSnapshot(rowCount: rows.count), changes: changes)
        let old = shown[0]
        batch.apply(to: &shown) { rows[$0.item] }
        XCTAssertEqual(shown, [expected], "seed \(seed), step \(step): \(changes?.description ?? "a reset")")
        // As few moves as possible among the rows that were named.
        if let changes, let least = Self.moves(from: old, to: expected) {
          XCTAssertGreaterThanOrEqual(changes.movedRows.count, least, "seed \(seed), step \(step)")
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
    }
  }

  /// The fewest moves there can be.
  private static func moves(from old: [Note], to new: [Note]) -> Int? {
    func identifiers(_ notes: [Note]) -> ListIdentifiers<Int> { .init([.init(name: nil, ids: notes.map(\.id))]) }
    return identifiers(new).difference(from: identifiers(old))?.movedRows.count
  }
}

final class KeyedRowsTests: XCTestCase {
  func testRowsWithOneKeyAreRefused() {
    XCTAssertNil(KeyedRows(["a", "b"], keys: [1, 1]))
    XCTAssertNil(KeyedRows(["a", "b"], keys: [1]))
  }

  func testRandomRowsLeadFromBeforeToAfter() throws {
    for seed in testSeeds(200) {
      var numbers = SeededGenerator(seed: seed)
      var sides: [KeyedRows<Int, Int>] = []
      for _ in 0..<2 {
        let keys = (0..<12).shuffled(using: &numbers).prefix(Int.random(in: 0...12, using: &numbers))
        let elements = keys.map { $0 * 10 + Int.random(in: 0...1, using: &numbers) }
        sides.append(try XCTUnwrap(KeyedRows(elements, keys: Array(keys))))
      }
      let (old, new) = (sides[0], sides[1])
      let changes = try XCTUnwrap(new.changes(since: old))
      var shown = [old.elements]
      let batch = ListBatch(
        before: ListSnapshot(rowCount: old.count), after: ListSnapshot(rowCount: new.count), changes: changes)
      batch.apply(to: &shown) { new.elements[$0.item] }
      XCTAssertEqual(shown, [new.elements], "seed \(seed)")
      XCTAssertEqual(changes.isEmpty, old.elements == new.elements, "seed \(seed)")
      for (index, key) in new.keys.enumerated() { XCTAssertEqual(new.index(of: key), index) }
    }
  }
}

@MainActor final class CoalescingChannelTests: XCTestCase {
  func testWhatIsSentWithinATurnIsReceivedAtOnce() async {
    let channel = CoalescingChannel<[Int]> { $0 += $1 }
    var received: [[Int]] = []
    channel.start { received.append($0) }
    for number in 0..<100 { channel.send([number]) }
    await channel.delivered()
    XCTAssertEqual(received, [Array(0..<100)])
    channel.send([7])
    await channel.delivered()
    XCTAssertEqual(received.last, [7])
  }

  func testNothingIsReceivedOnceItHasEnded() async {
    let channel = CoalescingChannel<Int>()
    var received: [Int] = []
    channel.start { received.append($0) }
    channel.send(1)
    channel.finish()
    channel.send(2)
    await channel.delivered()
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(received, [])
  }

  func testWhoWaitsForAFeedThatEndsGoesOn() async {
    let channel = CoalescingChannel<Int>()
    let waiting = Task { await channel.delivered() }
    await Task.yield()
    channel.finish()
    await waiting.value
  }

  func testNewsFromOtherThreadsAreReceivedInTheSourcesIsolation() async {
    let channel = CoalescingChannel<Int> { $0 += $1 }
    var sum = 0
    channel.start {
      MainActor.assertIsolated()
      sum += $0
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { channel.send(1) } } }
    }
    await channel.delivered()
    XCTAssertEqual(sum, 8_000)
  }
}
