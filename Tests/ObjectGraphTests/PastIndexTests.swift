import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Fetches, counts and ranks in the past by indexes that keep history, against all objects read one by one.
final class PastIndexTests: XCTestCase {
  private static let schema = Schema(Parcel.self, Depot.self)

  // MARK: Random histories

  func testEachPositionFetchesAsItWas() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore(Self.schema, windowBudget: [nil, 0].randomElement(using: &random)!)
      var world = World()
      for step in 0..<40 {
        try await world.save(in: opened.store, &random)
        if step % 8 == 7 { try check(opened.store, world, "seed \(seed), step \(step)", &random) }
        if step == 20 { try await opened.kill() }
      }
      try await assertSound(opened.store, "seed \(seed)")
      try check(opened.store, world, "seed \(seed)", all: true, &random)
    }
  }

  /// The histories of the indexes go on through everything that maintenance does.
  func testMaintenanceKeepsFetchesInThePast() async throws {
    for seed in testSeeds(2) {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore(Self.schema, windowBudget: 0, atOnce: [2_000, 5].randomElement(using: &random)!)
      var world = World()
      for round in 0..<6 {
        let note = "seed \(seed), round \(round)"
        for _ in 0..<8 { try await world.save(in: opened.store, &random) }
        switch round {
        case 1:
          let floor = Position(opened.store.log.head.number / 2)
          try await opened.store.log.retain(.from(floor))
          world.first = try opened.store.log.firstPosition - 1
        case 2:
          try await opened.store.close()
          try await StoreMaintenance.compact(opened.path)
          try opened.open()
        case 3:
          try await opened.store.close()
          let id = try XCTUnwrap(world.ids.randomElement(using: &random))
          do {
            try await StoreMaintenance.erase([Erasure(of: id.any, ["name", "rank"])], in: opened.path)
          } catch ErasureError.notFound {
            // All of its transactions were dropped.
          }
          try opened.open()
        case 4:
          try await opened.store.close()
          try await StoreMaintenance.rebuild(opened.path)
          try opened.open()
        default: try await opened.kill()
        }
        try await assertSound(opened.store, note)
        try await opened.store.waitForIndexes()
        try await assertSound(opened.store, note)
        try check(opened.store, world, note, all: true, &random)
      }
    }
  }

  /// Programs whose models ask for no history keep it, and positions from before a history are read by the log.
  func testAHistoryBeginsLaterAndOtherProgramsKeepIt() async throws {
    for atOnce in [2_000, 3] {
      var random = SeededGenerator(seed: testSeed())
      let opened = try TestStore(Schema(PlainParcel.self, PlainDepot.self), windowBudget: 0, atOnce: atOnce)
      let plain = RootContext(opened.store, isolation: nil)
      var world = World()
      for number in 0..<10 {
        let parcel = plain.insert(PlainParcel("\(number)", rank: number))
        world.ids.append(Parcel.ID(uuid: parcel.id.uuid))
      }
      try await plain.save()
      let before = opened.store.log.head
      try await opened.store.close()

      opened.schema = Self.schema
      try opened.open()
      try await opened.store.waitForIndexes()
      let start = opened.store.log.head
      let fetch = Fetch<Parcel> { $0.rank >= 3 }.sorted { $0.rank.ascending }
      for _ in 0..<6 { try await world.save(in: opened.store, &random) }
      XCTAssertFalse(try opened.store.context(at: before).explain(fetch).readsHistory)
      XCTAssertTrue(try opened.store.context(at: start).explain(fetch).readsHistory)
      try await opened.store.close()

      opened.schema = Schema(PlainParcel.self, PlainDepot.self)
      try opened.open()
      let again = RootContext(opened.store, isolation: nil)
      for parcel in try again.fetch(Fetch<PlainParcel>()).prefix(3) { parcel.rank += 100 }
      world.ids.append(Parcel.ID(uuid: again.insert(PlainParcel("other", rank: 5)).id.uuid))
      try await again.save()
      try await opened.store.close()

      opened.schema = Self.schema
      try opened.open()
      XCTAssertTrue(try opened.store.context(at: opened.store.log.head - 1).explain(fetch).readsHistory)
      try await assertSound(opened.store, "at once \(atOnce)")
      try check(opened.store, world, "at once \(atOnce)", all: true, &random)
    }
  }

  // MARK: The cost

  /// From the first call on, without a look at the transactions in between.
  func testTheFirstFetchReadsNoTransactions() async throws {
    let opened = try TestStore(Self.schema, windowBudget: 0)
    let context = RootContext(opened.store, isolation: nil)
    let depot = context.insert(Depot("North"))
    let parcels = (0..<50).map { context.insert(Parcel("parcel \($0)", rank: $0)) }
    for parcel in parcels.prefix(30) { parcel.depot = depot }
    let then = try await context.save()
    for number in 0..<40 {
      parcels[number].rank += 100
      try await context.save()
    }
    try await opened.kill()
    let store = opened.store
    func past() throws -> PastContext { try store.context(at: then, isolation: nil) }
    let sorted = Fetch<Parcel> { $0.rank >= 10 }.sorted { $0.rank.ascending }.limit(5)
    for fetch in [
      sorted, Fetch<Parcel>().sorted { $0.rank.descending }.limit(3, offset: 7), Fetch<Parcel> { $0.code == 4 },
      Fetch<Parcel> { $0.depot == depot }.sorted { $0.rank.ascending },
      Fetch<Parcel> { $0.name.hasPrefix("PARCEL 1", folded) }, Fetch<Parcel>(),
    ] {
      let plan = try past().explain(fetch)
      XCTAssertTrue(plan.readsHistory, plan.description)
      XCTAssertEqual(plan.transactionsRead, 0, plan.description)
    }
    XCTAssertEqual(try past().fetch(sorted).map(\.rank), [10, 11, 12, 13, 14])
    XCTAssertEqual(try past().count(Fetch<Parcel>()), 50)
    XCTAssertEqual(try past().count(Fetch<Parcel> { $0.rank < 10 }), 10)
    XCTAssertEqual(try past().rank(of: parcels[20].id, in: Fetch<Parcel>().sorted { $0.rank.ascending }), 20)
    XCTAssertEqual(try past().object(depot.id).parcels.count, 30)
    XCTAssertEqual(try past().aggregate(Fetch<Parcel>()) { $0.rank.maximum }, 49)
    // By their IDs, objects need no index.
    let ids = parcels.prefix(2).map(\.id)
    XCTAssertEqual(try past().explain(Fetch<Parcel> { $0.id.isIn(ids) }).transactionsRead, 0)
    XCTAssertEqual(try past().fetch(Fetch<Parcel> { $0.id.isIn(ids) }).map(\.rank), [0, 1])
  }

  /// A store whose indexes keep no history has no row of one.
  func testAStoreWithoutHistoriesHasNoRowOfThem() async throws {
    let opened = try TestStore(Schema(PlainParcel.self, PlainDepot.self))
    let context = RootContext(opened.store, isolation: nil)
    for number in 0..<20 { context.insert(PlainParcel("\(number)", rank: number)) }
    try await context.save()
    let levels = try opened.store.read { (view, _) throws(StorageError) in
      var levels: Set<UInt8> = []
      var cursor = try view.cursor(opened.store.tables.indexes)
      while let entry = try cursor.next() { levels.insert(entry.key.withUnsafeBytes { $0[4] }) }
      return levels
    }
    XCTAssertEqual(levels, [0, 1])
  }

  // MARK: Lists

  func testAListInThePastHasNoRowInMemory() async throws {
    let opened = try TestStore(Self.schema, windowBudget: 0)
    let context = RootContext(opened.store, isolation: nil)
    let parcels = (0..<100).map { context.insert(Parcel("\($0)", rank: $0)) }
    let then = try await context.save()
    for parcel in parcels { parcel.rank = -parcel.rank }
    try await context.save()
    let past = try opened.store.context(at: then)
    let projection = past.projection
    let map = try XCTUnwrap(opened.store.map.map(Parcel.entity.interned))
    let fetch = try CompiledFetch(Fetch<Parcel>().sorted { $0.rank.ascending }, schema: opened.store.map.schema)
    let rows = try XCTUnwrap(try projection.countedRows(fetch, map))
    XCTAssertEqual(rows.total, 100)
    XCTAssertEqual(try rows.objects(at: 40..<43), parcels[40..<43].map(\.id.uuid))
    XCTAssertEqual(try rows.index.differences(), 0)
  }

  // MARK: Expectations

  private func assertSound(_ store: Store, _ note: String, file: StaticString = #filePath, line: UInt = #line)
    async throws
  {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, "\(note): \(report.description)", file: file, line: line)
  }

  private func check(
    _ store: Store, _ world: World, _ note: String, all: Bool = false, _ random: inout SeededGenerator
  ) throws {
    var positions = (world.first.number...store.log.head.number).map { Position($0) }
    if !all { positions = Array(positions.shuffled(using: &random).prefix(4)) }
    for position in positions {
      try world.check(store.context(at: position, isolation: nil), "\(note), at \(position)", &random)
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }
}

/// Parcels and depots that change at random, and what fetches of them must find.
private struct World {
  var ids: [Parcel.ID] = []
  var depots: [Depot.ID] = []
  /// The first position that can be read.
  var first: Position = 0
  private var code = 0

  private static let names = ["Ära", "ara", "BOX", "box", "Crate", ""]

  mutating func save(in store: Store, _ random: inout SeededGenerator) async throws {
    let context = RootContext(store, isolation: nil)
    if depots.count < 3 {
      depots.append(context.insert(Depot("depot")).id)
      // A depot must be there before parcels refer to it.
      if depots.count == 1 { try await context.save() }
    }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let parcels = try context.fetch(Fetch<Parcel>())
      guard let parcel = parcels.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 else {
        let parcel = context.insert(Parcel(Self.names.randomElement(using: &random)!))
        ids.append(parcel.id)
        change(parcel, context, &random)
        continue
      }
      if Int.random(in: 0..<6, using: &random) == 0 { context.delete(parcel) } else { change(parcel, context, &random) }
    }
    try await context.save()
  }

  private mutating func change(_ parcel: Parcel, _ context: RootContext, _ random: inout SeededGenerator) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: parcel.name = Self.names.randomElement(using: &random)!
    // Longer than a row has room for, and different only at its end.
    case 1: parcel.name = String(repeating: "long ", count: 110) + "\(Int.random(in: 0..<4, using: &random))"
    case 2: parcel.weight = Bool.random(using: &random) ? nil : Double(Int.random(in: 0..<4, using: &random))
    case 3: parcel.depot = depots.randomElement(using: &random).flatMap { context.find($0) }
    case 4:
      code += 1
      parcel.code = Bool.random(using: &random) ? code : nil
    case 5: parcel.remark += "x"
    default: parcel.rank = Int.random(in: -5...5, using: &random)
    }
  }

  /// Compares fetches with all objects of the context, read one by one.
  func check(_ past: PastContext, _ note: String, _ random: inout SeededGenerator) throws {
    let all = ids.compactMap { past.find($0) }.sorted { $0.id.uuid < $1.id.uuid }
    let byRank = all.sorted { ($0.rank, $0.id.uuid) < ($1.rank, $1.id.uuid) }
    let rank = Int.random(in: -5...5, using: &random)
    let (limit, offset) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...4, using: &random))
    func same(_ found: [Parcel], _ expected: [Parcel], _ what: String) {
      XCTAssertEqual(found.map(\.id), expected.map(\.id), "\(what), \(note)")
      XCTAssertEqual(found.map(\.name), expected.map(\.name), "\(what), \(note)")
    }
    same(try past.fetch(Fetch<Parcel>()), all, "all")
    XCTAssertEqual(try past.count(Fetch<Parcel>()), all.count, note)
    let ascending = Fetch<Parcel> { $0.rank >= rank }.sorted { $0.rank.ascending }
    let above = byRank.filter { $0.rank >= rank }
    same(try past.fetch(ascending), above, "ascending")
    same(try past.fetch(ascending.limit(limit)), Array(above.prefix(limit)), "the first")
    same(
      try past.fetch(ascending.limit(limit, offset: offset)), Array(above.dropFirst(offset).prefix(limit)), "a page")
    XCTAssertEqual(try past.fetchIDs(ascending.limit(limit)), above.prefix(limit).map(\.id), note)
    XCTAssertEqual(try past.count(ascending), above.count, note)
    XCTAssertEqual(try past.exists(Fetch<Parcel> { $0.rank == rank }), all.contains { $0.rank == rank }, note)
    same(
      try past.fetch(Fetch<Parcel> { $0.rank < rank }.sorted { $0.rank.descending }),
      byRank.filter { $0.rank < rank }.sorted { ($1.rank, $1.id.uuid) < ($0.rank, $0.id.uuid) }, "descending")
    if let parcel = above.randomElement(using: &random) {
      let place = above.firstIndex { $0.id == parcel.id }
      XCTAssertEqual(try past.rank(of: parcel.id, in: ascending), place, note)
      XCTAssertEqual(try past.fetch(Fetch<Parcel> { $0.id == parcel.id }).map(\.rank), [parcel.rank], note)
    }
    for name in ["ARA", "box", "nothing"] {
      let equal = all.filter { $0.name.folded == name.folded }
      same(try past.fetch(Fetch<Parcel> { $0.name.equals(name, folded) }), equal, name)
      XCTAssertEqual(try past.count(Fetch<Parcel> { $0.name.equals(name, folded) }), equal.count, note)
    }
    let long = all.filter { $0.name.hasPrefix("long") }
    let byName = Fetch<Parcel> { $0.name.hasPrefix("LONG", folded) }.sorted { $0.name.collated(Parcel.plain) }
    same(try past.fetch(byName), long.sorted { ($0.name, $0.id.uuid) < ($1.name, $1.id.uuid) }, "long names")
    for id in depots {
      let members = byRank.filter { $0.depot?.id == id }
      let ofDepot = Fetch<Parcel> { $0.depot == id }
      same(try past.fetch(ofDepot.sorted { $0.rank.ascending }), members, "the parcels of a depot")
      XCTAssertEqual(try past.count(Fetch<Parcel> { $0.depot == id }), members.count, note)
      guard let depot = past.find(id) else { continue }
      XCTAssertEqual(Set(depot.parcels.map(\.id)), Set(members.map(\.id)), note)
    }
    let weightless = all.filter { $0.weight == nil }
    same(try past.fetch(Fetch<Parcel> { $0.weight == nil }), weightless, "no weight")
    XCTAssertEqual(try past.count(Fetch<Parcel> { $0.weight != nil }), all.count - weightless.count, note)
    for code in Set(all.compactMap(\.code)).prefix(3) {
      same(try past.fetch(Fetch<Parcel> { $0.code == code }), all.filter { $0.code == code }, "a code")
    }
    // Tested object by object, along any index.
    same(try past.fetch(Fetch<Parcel> { $0.remark != "" }), all.filter { !$0.remark.isEmpty }, "a remark")
    XCTAssertEqual(try past.aggregate(Fetch<Parcel>()) { $0.rank.minimum }, byRank.first?.rank, note)
  }
}

/// The options whose order the index over the name has.
private let folded: TextOptions = [.ignoringCase, .ignoringDiacritics]

extension String {
  fileprivate var folded: String { replacing("Ä", with: "a").replacing("ä", with: "a").lowercased() }
}
