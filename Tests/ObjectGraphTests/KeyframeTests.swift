import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// The past is found by records that the log keeps whole, and it is the same past.
final class KeyframeTests: XCTestCase {
  private struct Facts: Equatable {
    let name: String
    let value: Int
    let owner: Person.ID?
  }

  /// Whatever becomes of the objects and of the store, each object reads at each position as it was, with keyframes
  /// wherever there may be some as with the usual ones.
  func testEveryVersionReadsAsItWasWhereverKeyframesStand() async throws {
    for (round, seed) in testSeeds(6).enumerated() {
      let spacing = [.frequent(), KeyframeSpacing(), .frequent(3), .frequent(7), KeyframeSpacing()][round % 5]
      try await run(seed, spacing)
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  private func run(_ seed: UInt64, _ spacing: KeyframeSpacing) async throws {
    var random = SeededGenerator(seed: seed)
    let opened = try TestStore(windowBudget: [0, 0, 3_000].randomElement(using: &random), keyframes: spacing)
    var context = RootContext(opened.store, isolation: nil)
    let owner = context.insert(Person(name: "Ada"))
    let ids = (0..<3).map { number in
      let item = context.insert(Item(name: "\(number)"))
      return item.id
    }
    var states: [Position: [Facts?]] = [:]
    states[try await context.save()] = ids.map { Self.facts($0, context) }
    for step in 0..<260 {
      try edit(ids[min(2, Int.random(in: 0..<8, using: &random))], owner.id, context, states, &random)
      if !context.hasChanges { continue }
      states[try await context.save()] = ids.map { Self.facts($0, context) }
      guard step % 65 == 64 else { continue }
      try check(opened.store, ids, states, &random, "seed \(seed), step \(step)")
      if testRun?.failureCount ?? 0 > 0 { return }
      try await opened.store.close()
      if Bool.random(using: &random) { try await StoreMaintenance.compact(opened.path) }
      if Bool.random(using: &random) { _ = try await StoreMaintenance.rebuild(opened.path) }
      try opened.open()
      if Bool.random(using: &random) {
        try await opened.store.log.retain(.last(Int.random(in: 20...200, using: &random)))
      }
      context = RootContext(opened.store, isolation: nil)
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], "seed \(seed)")
    }
    try check(opened.store, ids, states, &random, "seed \(seed), at the end")
  }

  private func edit(
    _ id: Item.ID, _ owner: Person.ID, _ context: RootContext, _ states: [Position: [Facts?]],
    _ random: inout SeededGenerator
  ) throws {
    guard let item = context.find(id) else {
      // It comes back as it was, with its ID, over its tombstone.
      let deletion = try context.store.log.history(of: id.any, limit: 1).first
      if let deletion { try context.revert(transactionAt: deletion.position) }
      return
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: context.delete(item)
    case 1: item.owner = item.owner == nil ? try context.object(owner) : nil
    case 2...4:
      let place = item.name.indices.randomElement(using: &random) ?? item.name.startIndex
      item.name.insert(contentsOf: "\(Int.random(in: 0..<1_000, using: &random))é", at: place)
    case 5: item.name = String(item.name.dropFirst(Int.random(in: 0...40, using: &random)))
    case 6: item.photo = item.photo == nil ? [UInt8](repeating: 7, count: 60) : nil
    default: item.valueInDollars = Int.random(in: 0..<1_000, using: &random)
    }
  }

  private static func facts(_ id: Item.ID, _ context: ObjectContext) -> Facts? {
    context.find(id).map { Facts(name: $0.name, value: $0.valueInDollars, owner: $0.owner?.id) }
  }

  private func check(
    _ store: Store, _ ids: [Item.ID], _ states: [Position: [Facts?]], _ random: inout SeededGenerator,
    _ message: String
  ) throws {
    let floor = try store.log.firstPosition
    for (position, facts) in states where position + 1 >= floor {
      let past = try store.context(at: position)
      XCTAssertEqual(ids.map { Self.facts($0, past) }, facts, "\(message), at \(position)")
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  // MARK: What they spare

  private func store(
    versions: Int, keyframes: KeyframeSpacing = KeyframeSpacing(), name: (Int) -> String = { "\($0)" }
  ) async throws -> (opened: TestStore, id: Item.ID, positions: [Position]) {
    let opened = try TestStore(windowBudget: 0, keyframes: keyframes)
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: name(1)))
    var positions = [try await context.save()]
    for version in 2...versions {
      item.name = name(version)
      positions.append(try await context.save())
    }
    return (opened, item.id, positions)
  }

  private func hasKeyframes(_ positions: [Position], _ store: Store) throws -> [Bool] {
    try store.read { (view, _) throws(StorageError) in
      var found: [Bool] = []
      for position in positions {
        found.append(
          try store.files.log.withFrame(position, view) { (frame) throws(MalformedBytes) in frame.hasKeyframes })
      }
      return found
    }
  }

  /// Proved by taking away what lies between: nobody can have read it.
  func testWhatLiesBetweenAKeyframeAndTheHeadIsNotRead() async throws {
    let (opened, id, positions) = try await store(versions: 400)
    let kept = Set(try opened.store.framesRead(toFind: id.any, notAfter: positions[99]) + positions[99...131])
    try opened.store.removeFromLog(positions[132...].filter { !kept.contains($0) })
    XCTAssertLessThan(kept.count, 60)
    XCTAssertEqual(try opened.store.context(at: positions[99]).object(id).name, "100")
    // The others are gone indeed.
    XCTAssertThrowsError(try opened.store.context(at: positions[300]).object(id))
  }

  func testAnObjectOfFewVersionsHasNone() async throws {
    let (opened, _, positions) = try await store(versions: 70)
    let found = try hasKeyframes(positions, opened.store)
    XCTAssertEqual(found.indices.filter { found[$0] }.map { $0 + 1 }, [31, 62, 63])
  }

  /// Else a keystroke in a long text would cost a text each time.
  func testALargeObjectHasThemSoSeldomThatEachVersionAddsNoMoreThanItsShare() async throws {
    let text = String(repeating: "A long text. ", count: 500)
    let (opened, id, positions) = try await store(versions: 700) { text + "\($0)" }
    let found = try hasKeyframes(positions, opened.store)
    XCTAssertEqual(found.indices.filter { found[$0] }.map { $0 + 1 }, [511])
    let spacing = KeyframeSpacing()
    let size = text.utf8.count
    XCTAssertLessThan(found.filter { $0 }.count * size, positions.count * Int(spacing.bytes))
    XCTAssertEqual(try opened.store.context(at: positions[299]).object(id).name, text + "300")
  }

  /// Objects that are always saved together would have all of theirs in one transaction.
  func testATransactionHasNoMoreOfThemThanItsShare() async throws {
    var spacing = KeyframeSpacing.frequent()
    spacing.bytesOfTransaction = 200
    let opened = try TestStore(windowBudget: 0, keyframes: spacing)
    let context = RootContext(opened.store, isolation: nil)
    let items = (0..<20).map { context.insert(Item(name: "\($0)")) }
    try await context.save()
    var positions: [Position] = []
    for round in 0..<40 {
      for item in items { item.valueInDollars = round + 1 }
      positions.append(try await context.save())
    }
    let counts = try opened.store.read { (view, _) throws(StorageError) in
      try opened.store.files.log.withFrame(positions[9], view) { (frame) throws(MalformedBytes) in
        try frame.keyframes().map(\.bytes.count)
      }
    }
    XCTAssertLessThan(counts.reduce(0, +), 200)
    XCTAssertGreaterThan(counts.count, 1)
    for item in items {
      XCTAssertEqual(try opened.store.context(at: positions[3]).object(item.id).valueInDollars, 4)
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testALogWithoutThemIsReadAndGoesOn() async throws {
    var none = KeyframeSpacing()
    none.versions = .max
    let (opened, id, positions) = try await store(versions: 100, keyframes: none)
    XCTAssertFalse(try hasKeyframes(positions, opened.store).contains(true))
    XCTAssertEqual(try opened.store.context(at: positions[9]).object(id).name, "10")
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  // MARK: Damage

  func testAKeyframeThatIsNotTheFoldIsTold() async throws {
    for floor in [false, true] {
      let (opened, id, positions) = try await store(versions: 80)
      if floor { try await opened.store.log.retain(.last(60)) }
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
      try opened.store.forgeKeyframe(at: positions[61])
      XCTAssertEqual(
        try StoreMaintenance.verifyNow(opened.store).problems,
        [
          "The copy of the object \(id.uuid) that transaction \(positions[61]) contains differs from the result of the "
            + "object's events."
        ])
      // Nothing rests on it, and without it the log is sound.
      try await opened.store.close()
      _ = try await StoreMaintenance.rebuild(opened.path)
      try opened.open()
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
      XCTAssertEqual(try RootContext(opened.store, isolation: nil).object(id).name, "80")
      XCTAssertEqual(try opened.store.context(at: positions[60]).object(id).name, "61")
      XCTAssertEqual(try hasKeyframes([positions[61], positions[62]], opened.store), [false, true])
      try await opened.store.close()
    }
  }
}

extension Store {
  /// The frames that a search by version pointers reads.
  fileprivate func framesRead(toFind id: AnyObjectID, notAfter limit: Position) throws -> [Position] {
    let entity = try XCTUnwrap(map.map(id.name))
    return try read { (view, _) throws(StorageError) in
      var read: [Position] = []
      let header = try files.objects.withRecord(
        ObjectKey(entity: entity.number, uuid: id.uuid), entity.entity.name, view
      ) { (record) in record.header }
      _ = try header?.place(notAfter: limit) { (place) throws(StorageError) in
        read.append(place.position)
        return try files.log.withFrame(place.position, view) { (frame) throws(MalformedBytes) in
          var events = frame.events
          return try events.next()?.pointers
        }
      }
      return read
    }
  }

  fileprivate func removeFromLog(_ positions: [Position]) throws {
    try environment.write { (transaction) throws(StorageError) in
      for position in positions {
        let key = withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) } + [0, 0]
        try transaction.delete(tables.log, key: key.span.bytes)
      }
    }
  }

  /// Changes a byte of a name in a keyframe, and all that vouches for the frame.
  fileprivate func forgeKeyframe(at position: Position) throws {
    let forged = try read { (view, _) throws(StorageError) in
      try files.log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        var states: [Int: [UInt8]] = [:]
        for keyframe in try frame.keyframes() {
          var bytes = [UInt8](keyframe.bytes)
          if let digit = bytes.lastIndex(of: UInt8(ascii: "6")) { bytes[digit] = UInt8(ascii: "7") }
          states[keyframe.event] = bytes
        }
        return try frame.redacting([:], keyframes: states)
      }
    }
    try environment.write { (transaction) throws(StorageError) in
      try files.log.replace(forged, at: position, size: forged.count, transaction)
    }
  }
}
