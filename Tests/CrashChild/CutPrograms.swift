import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery

/// A program that checks its store against its promises.
protocol PromisingProgram: CutProgram {
  var promises: [String] { get set }

  /// Works, without a fault. An error is a problem.
  func act(_ path: String, _ run: FaultRun) async throws
}

extension PromisingProgram {
  mutating func expect(_ promises: [String]) { self.promises = promises }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do {
      try await act(path, run)
    } catch {
      run.problem("\(error)")
    }
  }

  fileprivate func save(_ stamp: Int, in context: RootContext) async throws {
    promise("saving \(stamp)")
    try Lane.edit(1, to: stamp, renewing: stamp % 4 == 0, in: context)
    try await context.save("Save")
    promise("saved \(stamp)")
  }
}

/// Saves few and many objects, installs a projection, and opens the store with newer models.
struct KindsProgram: PromisingProgram {
  fileprivate static let many = 10..<60
  var promises: [String] = []

  private struct SavesByAuthor: LogProjection {
    let name = "saves by author"
    let version = 1

    func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
      if let author = transaction.author { rows[number: [.string(author)]] += 1 }
    }
  }

  func prepare(_ path: String) async throws { try await makeStore(path, stamps: 1...2) }

  func act(_ path: String, _ run: FaultRun) async throws {
    try await save(path)
    let store = try Store.openNow(path, for: LaterCell.schema, StoreOptions())
    let context = RootContext(store, author: "ada", isolation: nil)
    context.insert(LaterCell(weight: 8))
    try await context.save("Later")
    promise("later")
    try await store.close()
  }

  private func save(_ path: String) async throws {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let context = RootContext(store, author: "ada", isolation: nil)
    for stamp in 3...8 { try await save(stamp, in: context) }
    for lane in Self.many { try Lane.edit(lane, to: 1, renewing: true, in: context) }
    try await context.save("Many")
    promise("many")
    try await store.log.install(SavesByAuthor())
    try await store.log.waitForProjections()
    promise("projected")
    for stamp in 9...11 { try await save(stamp, in: context) }
    try await store.close()
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try await store.log.install(SavesByAuthor())
      try await store.log.waitForProjections()
      try run.requireSound(store)
      let context = RootContext(store, isolation: nil)
      let saved = promises.stamps("saved", "saving", from: 1)
      let found = try Lane.read(1, in: context)
      if case .whole(let stamp) = found, saved.contains(stamp) {} else { run.problem("\(found), not \(saved)") }
      let many = try Self.many.count { try Lane.read($0, in: context) == .whole(1) }
      if promises.contains("many") ? many < Self.many.count : many != 0 && many != Self.many.count {
        run.problem("\(many) of many are there")
      }
    }
    guard promises.contains("later") else { return }
    try await withStore(path, for: LaterCell.schema) { store in
      let later = try RootContext(store, isolation: nil).count(Fetch<LaterCell> { $0.weight == 8 })
      if later != 1 { run.problem("\(later) of the newer models are there") }
    }
  }
}

extension [String] {
  /// The stamps that may be found: the last one that is sure, and later ones that were begun.
  fileprivate func stamps(_ sure: String, _ begun: String, from first: Int) -> ClosedRange<Int> {
    func last(_ word: String) -> Int {
      self.last { $0.hasPrefix(word + " ") }.flatMap { Int($0.dropFirst(word.utf8.count + 1)) } ?? first
    }
    return last(sure)...Swift.max(last(sure), last(begun))
  }
}

/// Opens a store with models that compute an attribute and want another to be unique.
struct GrowProgram: CutProgram {
  private static func arguments(_ path: String) -> Arguments { Arguments(["", "stop", path, "work=grow"]) }

  func prepare(_ path: String) async throws { try await Stopping.prepare(Self.arguments(path)) }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do throws(StoreError) {
      await (try Stopping.open(Self.arguments(path), StoreOptions())).abandon()
    } catch {
      run.problem("\(error)")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    let store = try Stopping.open(Self.arguments(path), options())
    let report = try StoreMaintenance.verifyNow(store)
    if !report.isSound || report.objects != 40 { run.problem("\(report)") }
    await store.abandon()
  }
}

/// Makes a store, and saves in it.
struct NewProgram: PromisingProgram {
  var promises: [String] = []

  func prepare(_ path: String) {}

  func act(_ path: String, _ run: FaultRun) async throws {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let context = RootContext(store, isolation: nil)
    for stamp in 1...3 {
      try Lane.edit(1, to: stamp, renewing: stamp == 1, in: context)
      promise("saving \(stamp)")
      try await context.save("Save")
      promise("saved \(stamp)")
    }
    await store.abandon()
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    do {
      try await lookInside(path, run)
    } catch StoreError.notAStore where promises.allSatisfy({ $0 == "begun" }) {
      // The creation was interrupted, and its directory must be removed: Guarantees, P7.
    }
  }

  private func lookInside(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let saved = promises.stamps("saved", "saving", from: 0)
      let found = try Lane.read(1, in: RootContext(store, isolation: nil))
      if case .whole(let stamp) = found, saved.contains(stamp) {} else { run.problem("\(found), not \(saved)") }
    }
  }
}

/// Types in a draft, and moves the journal's content into the tables, which removes its file.
struct JournalProgram: PromisingProgram {
  var promises: [String] = []

  func prepare(_ path: String) async throws { try await makeStore(path, stamps: 1...2) }

  func act(_ path: String, _ run: FaultRun) async throws {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    for stamp in 1...8 {
      promise("typing \(stamp)")
      try Lane.edit(2, to: stamp, renewing: true, in: desk)
      try store.journal.flush()
      promise("typed \(stamp)")
      if stamp % 2 == 0 { try await store.journals.checkpoint() }
    }
    promise("saving")
    try await desk.save("Desk")
    promise("saved")
    try await store.journals.checkpoint()
    await store.abandon()
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let typed = promises.stamps("typed", "typing", from: 0)
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      switch try Lane.read(2, in: desk) {
      case .whole(let stamp) where typed.contains(stamp): break
      // A part of what was not flushed can be there.
      case .torn where typed.count > 1: break
      case let found: run.problem("\(found), not \(typed)")
      }
      let committed = try Lane.read(2, in: RootContext(store, isolation: nil))
      let isSaved = promises.contains("saved")
      if isSaved ? committed != .whole(8) : committed != .whole(0) && !promises.contains("saving") {
        run.problem("\(committed) is saved")
      }
      if isSaved, desk.hasChanges { run.problem("the draft was saved, and is there") }
    }
  }
}

/// Types in a draft, ends without a flush, and types on over the journal that it left.
struct TakeoverProgram: PromisingProgram {
  var promises: [String] = []

  func prepare(_ path: String) async throws { try await makeStore(path, stamps: 1...2) }

  func act(_ path: String, _ run: FaultRun) async throws {
    var stamp = 0
    for _ in 0..<6 {
      var options = StoreOptions()
      // Frames are written only when the program asks for it, so that none has a part of a step.
      options.journal.aim = 60_000_000_000
      options.journal.turnLimit = 60_000_000_000
      let store = try Store.openNow(path, for: schema, options)
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      for _ in 0..<3 {
        stamp += 1
        promise("typing \(stamp)")
        try Lane.edit(2, to: stamp, renewing: true, in: desk)
        if stamp % 3 == 1, stamp % 5 != 0 { desk.undo() }
        if stamp % 5 == 0 {
          try store.journal.flush()
          promise("typed \(stamp)")
        } else {
          try store.journal.write()
        }
      }
      await store.abandon()
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let typed = promises.stamps("typed", "typing", from: 0)
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      let found = try Lane.read(2, in: desk)
      if case .whole(let stamp) = found, typed.contains(stamp) {} else { run.problem("\(found), not \(typed)") }
      if desk.canUndo != desk.hasChanges { run.problem("the steps of \(found) are lost") }
      while desk.canUndo { desk.undo() }
      if desk.hasChanges { run.problem("undone to \(try Lane.read(2, in: desk))") }
    }
  }
}

/// Saves, and every second save fails in its flush, as on Linux: what was to be flushed is forgotten.
struct RefuseProgram: PromisingProgram {
  private static let refused = 100
  var promises: [String] = []

  func prepare(_ path: String) async throws { try await makeStore(path, stamps: 1...2) }

  func act(_ path: String, _ run: FaultRun) async throws {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    for stamp in 3...10 {
      let context = RootContext(store, isolation: nil)
      promise("trying \(stamp)")
      try Lane.edit(1, to: Self.refused + stamp, renewing: false, in: context)
      reprise_faults_fail(REPRISE_FLUSH.rawValue, 1, 1, 5, REPRISE_FAILS_DROPPING)
      do {
        try await context.save("Refused")
        run.problem("its flush failed, and it was saved")
      } catch SaveError.store(.system) {
      }
      reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE)
      promise("refused \(stamp)")
      context.discard()
      try await save(stamp, in: context)
    }
    await store.abandon()
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let saved = promises.stamps("saved", "saving", from: 1)
      let found = try Lane.read(1, in: RootContext(store, isolation: nil))
      guard case .whole(let stamp) = found else { return run.problem("\(found)") }
      // Before it threw, the save may be there.
      let tried = promises.last.flatMap { $0.hasPrefix("trying ") ? Int($0.dropFirst(7)) : nil }
      if saved.contains(stamp) || tried.map({ Self.refused + $0 == stamp }) == true { return }
      run.problem("\(stamp) is there, not \(saved)")
    }
  }
}
