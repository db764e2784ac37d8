import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A newer version of the program opens the store: with more properties and more indexes, which
/// the objects that are there get rows in.
struct ExtendProgram: CutProgram {
  private static let lanes = 20...39

  func prepare(_ path: String) async throws {
    try await WorkProgram().prepare(path)
    let store = try openStore(path)
    let context = RootContext(store, author: "ada", isolation: nil)
    for lane in Self.lanes { try Lane.edit(lane, to: 1, renewing: true, in: context) }
    try await context.save("More")
    await store.abandon()
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    let store: Store
    do throws(StoreError) {
      store = try Store.openNow(path, for: LaterCell.schema, StoreOptions())
    } catch {
      run.fail("refused")
      return error.requireOfTheSystem(run, "extending")
    }
    await store.abandon()
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws { try await Self.look(path, run, options()) }

  fileprivate static func look(_ path: String, _ run: FaultRun, _ options: StoreOptions) async throws {
    // The older program goes on, whether the newer one was there or not.
    try await Self.requireWhole(path, run)
    let store = try Store.openNow(path, for: LaterCell.schema, options)
    try await store.waitForIndexes()
    let context = RootContext(store, isolation: nil)
    let cells = Lane.size * (Self.lanes.count + 2)
    let weighed = try context.count(Fetch<LaterCell> { $0.weight == 7 })
    let placed = try context.count(Fetch<LaterCell> { $0.place >= 0 })
    if (weighed, placed) != (cells, cells) {
      run.problem("\(weighed) and \(placed) of \(cells) are in the new indexes")
    }
    context.insert(LaterCell(weight: 8))
    try await context.save("Later")
    if try context.count(Fetch<LaterCell> { $0.weight == 8 }) != 1 { run.problem("it is not found by what is new") }
    try run.requireSound(store)
    try await store.close()
  }

  /// What ``WorkProgram/prepare(_:)`` made is there, log and draft.
  fileprivate static func requireWhole(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let context = RootContext(store, isolation: nil)
      let stamp = WorkProgram.before
      if try Lane.read(1, in: context) != .whole(stamp) { run.problem("a save is not there") }
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      if try Lane.read(2, in: desk) != .whole(stamp) { run.problem("the draft is not there") }
    }
  }
}

/// A store that lost its objects and indexes is rebuilt from its log.
struct RebuildProgram: CutProgram {
  private var isRebuilt = true

  mutating func expect(_ promises: [String]) { isRebuilt = promises.contains("done") }

  func prepare(_ path: String) async throws {
    try await WorkProgram().prepare(path)
    let environment = try Environment.open(directory: path, Environment.Options(tables: StoreTables.names))
    try environment.write { transaction throws(StorageError) in
      for name in ["objects", "indexes"] { try transaction.removeAll(environment.table(name)) }
    }
    environment.close()
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do {
      try await StoreMaintenance.rebuild(path)
    } catch {
      run.fail("refused")
      guard let error = error as? StoreError else { return run.problem("\(error)") }
      error.requireOfTheSystem(run, "rebuilding")
      run.mend()
      do {
        // All or nothing.
        let store = try openStore(path)
        let report = try StoreMaintenance.verifyNow(store)
        run.count(report.isSound ? "stands" : "stands-not")
        if !report.isSound && report.objects > 0 { run.problem("rebuilt in part: \(report)") }
        await store.abandon()
        try await StoreMaintenance.rebuild(path)
      } catch {
        run.problem("rebuilding again, without a fault: \(error)")
      }
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    // All or nothing.
    if !isRebuilt, try await withStore(path, { try StoreMaintenance.verifyNow($0).objects }) == 0 {
      try await StoreMaintenance.rebuild(path)
    }
    try await ExtendProgram.requireWhole(path, run)
  }
}

/// The same, and the rows are written in slices while the store is open.
struct IndexProgram: CutProgram {
  private static var options: StoreOptions {
    var options = StoreOptions()
    options.indexing.atOnce = 0
    (options.indexing.rows, options.indexing.mostRows) = (200, 200)
    return options
  }

  func prepare(_ path: String) async throws { try await ExtendProgram().prepare(path) }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do {
      let store = try Store.openNow(path, for: LaterCell.schema, Self.options)
      do {
        try await store.waitForIndexes()
      } catch let error as StoreError {
        run.fail("unfinished")
        error.requireOfTheSystem(run, "building an index")
      }
      await store.abandon()
    } catch let error as StoreError {
      run.fail("refused")
      error.requireOfTheSystem(run, "extending")
    } catch {
      run.problem("\(error)")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await ExtendProgram.look(path, run, Self.options)
  }
}

/// A new store is made of what is left of one.
struct SalvageProgram: FaultProgram {
  func prepare(_ path: String) async throws { try await WorkProgram().prepare(path) }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do {
      try await salvage(path, run)
    } catch {
      run.fail("refused")
      guard let error = error as? StoreError else { return run.problem("\(error)") }
      error.requireOfTheSystem(run, "salvaging")
      run.mend()
      do {
        do {
          try await salvage(path, run)
        } catch StoreError.notAStore {
          // What was begun could not be removed; nobody takes it for a store.
          run.count("left")
          do { _ = try openStore(path + " new") } catch StoreError.notAStore {}
          try Disk.removeStore(path + " new")
          try await salvage(path, run)
        }
      } catch {
        run.problem("salvaging again, without a fault: \(error)")
      }
    }
  }

  private func salvage(_ path: String, _ run: FaultRun) async throws {
    let report = try await StoreMaintenance.salvage(path, to: path + " new")
    if report.journals != 1 || report.lost != nil || !report.problems.isEmpty { run.problem("\(report)") }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await ExtendProgram.requireWhole(path + " new", run)
    try await ExtendProgram.requireWhole(path, run)
  }
}

/// What an object was is erased from a store.
struct EraseProgram: FaultProgram {
  private static let secret = "correct horse battery staple"
  private var isErased = false

  func prepare(_ path: String) async throws {
    let store = try openStore(path)
    let context = RootContext(store, author: "ada", isolation: nil)
    let cell = context.insert(Cell(lane: 1, place: 0))
    cell.text = Self.secret
    try await context.save("Secret")
    cell.text = "open"
    try await context.save("Open")
    try await store.close()
  }

  private func erase(_ path: String) async throws {
    let store = try openStore(path)
    let cell = try Counting.cell(1, RootContext(store, isolation: nil)).id.any
    try await store.close()
    try await StoreMaintenance.erase([Erasure(of: cell, ["text"])], in: path)
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do {
      try await erase(path)
      isErased = true
    } catch let error as StoreError {
      run.fail("refused")
      error.requireOfTheSystem(run, "erasing")
    } catch let error as ErasureError {
      // The store could not be closed in order.
      run.fail("unfinished")
      guard case .journals = error else { return run.problem("\(error)") }
    } catch {
      run.problem("\(error)")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    if isErased { requireGone(path, run) }
    // The journals of a store that could not be closed are taken up.
    try await withStore(path) { store in
      try run.requireSound(store)
      let text = try Counting.cell(1, RootContext(store, isolation: nil)).text
      if text != "open" { run.problem("it says \(text)") }
    }
    try await erase(path)
    requireGone(path, run)
    try await withStore(path) { store in
      try run.requireSound(store)
    }
  }

  private func requireGone(_ path: String, _ run: FaultRun) {
    for name in Disk.names(in: path) where name.hasSuffix(".mdb") || name.hasSuffix(".unfinished") {
      let bytes = (try? Disk.read("\(path)/\(name)")) ?? []
      let secret = Array(Self.secret.utf8)
      let isThere = bytes.indices.contains { bytes[$0] == secret[0] && bytes[$0...].starts(with: secret) }
      if isThere { run.problem("\(name) has what was erased") }
    }
  }
}

/// The beginning of the log is dropped.
struct RetainProgram: CutProgram {
  private static let lane = 1
  private static let count = 12

  func prepare(_ path: String) async throws {
    let store = try openStore(path)
    let context = RootContext(store, author: "ada", isolation: nil)
    let cell = context.insert(Cell(lane: Self.lane, place: 0))
    for stamp in 1...Self.count {
      cell.stamp = stamp
      let passing = context.insert(Cell(lane: Self.lane + 1, place: stamp))
      try await context.save("Count")
      context.delete(passing)
    }
    try await store.close()
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    let store: Store
    do throws(StoreError) {
      // With all flushes.
      store = try Store.openNow(path, for: schema, StoreOptions())
    } catch {
      run.fail("refused")
      return error.requireOfTheSystem(run, "opening")
    }
    do {
      try await store.log.retain(.last(3))
    } catch let error as StoreError {
      run.fail("refused")
      error.requireOfTheSystem(run, "dropping")
      await doAgain(after: error, store, path, run)
    } catch {
      run.problem("\(error)")
    }
    await store.abandon()
  }

  /// Takes the next step that the error names. The fault is over, so it works.
  private func doAgain(after error: StoreError, _ failed: Store, _ path: String, _ run: FaultRun) async {
    do {
      let store = try await failed.usable(after: error, run) { () throws(StoreError) in
        try Store.openNow(path, for: schema, StoreOptions())
      }
      try await store.log.retain(.last(3))
      if store !== failed { try await store.close() }
    } catch {
      run.problem("dropping again, without a fault: \(error)")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      for isDropped in [false, true] {
        if isDropped { try await store.log.retain(.last(3)) }
        try run.requireSound(store)
        let floor = try store.log.firstPosition
        if isDropped, floor != store.log.head - 2 { run.problem("the floor is \(floor)") }
        let isClean = try store.cleaning.isClean(store)
        if isDropped, !isClean { run.problem("something is left below the floor") }
        let stamp = try Counting.cell(Self.lane, RootContext(store, isolation: nil)).stamp
        let before = try Counting.cell(Self.lane, store.context(at: store.log.head - 3)).stamp
        if (stamp, before) != (Self.count, Self.count - 3) { run.problem("it says \(stamp), and \(before) before") }
      }
    }
  }
}

// MARK: The models of the newer version

final class LaterCell: TestModel {
  static let schema = Schema(LaterCell.self, Entry.self)

  static let entity = Entity(
    LaterCell.self, name: "Cell",
    properties: [
      .attribute("lane", Int.self, indexed: true),
      .attribute("place", Int.self, indexed: true),
      .attribute("stamp", Int.self, indexed: true),
      .attribute("text", String.self),
      .attribute("name", String.self, default: "", indexed: true),
      .toOne("partner", LaterCell.self, inverse: "partners"),
      .toMany("partners", LaterCell.self),
      .attribute("weight", Int.self, default: 7, indexed: true),
      .attribute("note", String?.self, indexed: true),
      .index(["place", "weight"], keepsHistory: true),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(weight: Int) {
    _storage = ObjectStorage(LaterCell.entity)
    _storage.set(7, weight)
  }

  struct Fields: FieldSet {
    typealias Model = LaterCell
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var place: Field<LaterCell, Int> { Field(path.appending("place")) }
    var weight: Field<LaterCell, Int> { Field(path.appending("weight")) }
  }
}
