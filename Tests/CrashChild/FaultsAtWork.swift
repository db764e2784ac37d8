import RepriseEventStore
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel

/// A program that opens a store, types, shows a screen, saves, proves and closes.
struct WorkProgram: FaultProgram {
  static let before = 3
  fileprivate static let typed = 25
  fileprivate static let scene = "main"

  /// The stamp of the save. With 14, the texts of the save need more room than an after-image has.
  fileprivate var saved = 14
  private var told = Told()

  /// What the program was told.
  private struct Told {
    enum Save { case none, saved, refused, unknown(UniqueID) }
    /// The draft was had; else nothing was typed.
    var hasDraft = false
    /// Likewise the screens.
    var hasScene = false
    var isTyped = false
    var save = Save.none
    var isClosed = false
  }

  /// With the journal of a program that was killed.
  func prepare(_ path: String) async throws {
    try await makeStore(path, stamps: 1...Self.before)
    let store = try openStore(path)
    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    try Lane.edit(2, to: Self.before, renewing: true, in: desk)
    guard try store.scenes.claim(.scene(Self.scene)) else { return problem("the scene is taken") }
    store.journal.append(Self.screen(Self.before))
    try store.journal.flush()
    await store.abandon()
  }

  /// A scene with one screen.
  private static func screen(_ stamp: Int) -> [JournalEntry] {
    [("/", [1] + [UInt8](repeating: 0, count: 11)), ("list", [UInt8](repeating: UInt8(stamp), count: 300))].map {
      let sum = (Array($0.0.utf8) + $0.1).withUnsafeBytes { Checksum.crc32c($0) }
      return .nodePut(scene: scene, key: $0.0, bytes: withUnsafeBytes(of: sum.littleEndian) { [UInt8]($0) } + $0.1)
    }
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    let store: Store
    do throws(StoreError) {
      store = try Store.openNow(path, for: schema, StoreOptions())
    } catch {
      run.fail("unopened")
      return error.requireOfTheSystem(run, "opening")
    }
    do {
      try await work(in: store, run)
    } catch {
      run.problem("working: \(error)")
    }
    await close(store, run)
  }

  private mutating func work(in store: Store, _ run: FaultRun) async throws {
    let desk = try draft("desk", of: store, run)
    if let desk {
      told.hasDraft = true
      try Lane.edit(2, to: Self.typed, renewing: true, in: desk)
    }
    do throws(StoreError) {
      told.hasScene = try store.scenes.claim(.scene(Self.scene))
      if told.hasScene { store.journal.append(Self.screen(Self.typed)) }
    } catch {
      run.fail("unclaimed")
    }
    do throws(JournalError) {
      try store.journal.flush()
      told.isTyped = true
    } catch {
      run.fail("untyped")
    }
    let book = try draft("book", of: store, run) ?? RootContext(store, author: "ada", isolation: nil)
    try Lane.edit(1, to: saved, renewing: false, in: book)
    told.save = await save(book, run)
    if case .unknown = told.save { return }
    // To prove it, a store needs nothing of the disk but to be read.
    let report = try await StoreMaintenance.verify(store)
    if !report.isSound { run.problem("while it works: \(report)") }
    if case .refused = told.save {
      // The fault is over, and the same save works.
      run.mend()
      told.save = await save(book, run)
      if case .saved = told.save {} else { run.problem("refused again, without a fault") }
    }
  }

  private mutating func close(_ store: Store, _ run: FaultRun) async {
    do {
      try await store.close()
      told.isClosed = true
    } catch {
      run.fail("unclosed")
      // Nothing was closed and nothing is lost; the fault is over, and it works.
      run.mend()
      do {
        try await store.close()
        told.isClosed = true
      } catch {
        run.problem("closing again, without a fault: \(error)")
        await store.abandon()
      }
    }
  }

  private func draft(_ name: String, of store: Store, _ run: FaultRun) throws -> RootContext? {
    do {
      return try RootContext(store, author: "ada", draft: name, isolation: nil)
    } catch DraftError.store {
      run.fail("undrafted")
      return nil
    }
  }

  private func save(_ context: RootContext, _ run: FaultRun) async -> Told.Save {
    do {
      try await context.save("Save")
      run.count("saved")
      return .saved
    } catch {
      switch error as? SaveError {
      case .outcomeUnknown(let transaction)?:
        run.fail("unknown")
        return .unknown(transaction)
      case .store(.diskFull)?, .store(.system)?, .store(.readOnly)?: run.fail("refused")
      default: run.problem("saving: \(error)")
      }
      if !context.hasChanges { run.problem("refused, and the changes are gone") }
      return .refused
    }
  }

  // MARK: What is there

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    try await look(path, run, before: Self.before)
  }

  fileprivate mutating func look(_ path: String, _ run: FaultRun, before: Int) async throws {
    try await withStore(path) { store in
      try run.requireSound(store)
      let context = RootContext(store, isolation: nil)
      let isSaved: Bool
      switch told.save {
      case .saved: isSaved = true
      case .none, .refused: isSaved = false
      case .unknown(let transaction):
        let position = try await store.log.position(ofTransaction: transaction)
        isSaved = position != nil
        run.count(isSaved ? "stands" : "stands-not")
        if isSaved && position != store.log.head { run.problem("the transaction is at \(position!), not at the head") }
      }
      let found = try Lane.read(1, in: context)
      if found != .whole(isSaved ? saved : before) { run.problem("told \(told.save), and \(found) is there") }

      let isSure = told.isTyped || told.isClosed
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      let typed = try Lane.read(2, in: desk)
      let mayBe = told.hasDraft ? (isSure ? [Self.typed] : [Self.typed, before]) : [before]
      if !mayBe.contains(where: { typed == .whole($0) }) { run.problem("\(typed) is typed, not \(mayBe)") }
      let shown = try screen(of: store)
      let mayShow = told.hasScene ? (isSure ? [Self.typed] : [Self.typed, before]) : [before]
      if !mayShow.contains(shown) { run.problem("the screen is of \(shown), not of \(mayShow)") }
      // It goes on.
      try Lane.edit(0, to: saved, renewing: true, in: context)
      try await context.save("Go on")
    }
  }

  /// The stamp that the screen was shown with; 0 where there is none.
  private func screen(of store: Store) throws -> Int {
    let archive = try store.scenes.archive(of: .scene(Self.scene))
    for problem in archive.problems { say("problem the archive: \(problem)") }
    guard let number = archive.nodes.number(of: "list") else { return 0 }
    let bytes = archive.nodes.buffer[archive.nodes.nodes[number].bytes].dropFirst(Checksum.size)
    let stamp = bytes.first ?? 0
    return bytes.count == 300 && bytes.allSatisfy { $0 == stamp } ? Int(stamp) : -1
  }
}

/// The same, where no store is yet.
struct NewStoreProgram: FaultProgram {
  private var program = WorkProgram()

  func prepare(_ path: String) {}
  mutating func work(_ path: String, _ run: FaultRun) async { await program.work(path, run) }
  mutating func look(_ path: String, _ run: FaultRun) async throws { try await program.look(path, run, before: 0) }
}

/// The same, with a save that has an after-image.
struct ShortSaveProgram: FaultProgram {
  private var program = WorkProgram()

  init() { program.saved = 16 }
  func prepare(_ path: String) async throws { try await program.prepare(path) }
  mutating func work(_ path: String, _ run: FaultRun) async { await program.work(path, run) }
  mutating func look(_ path: String, _ run: FaultRun) async throws { try await program.look(path, run) }
}

extension Store {
  /// Ends the fault, and returns the store to repeat a failed call in: this one, or the one that `open` makes of it if
  /// the error says that this one must be closed.
  func usable(
    after error: StoreError, _ run: FaultRun, _ open: () throws(StoreError) -> Store
  ) async throws -> Store {
    run.mend()
    guard case .unusable = error else { return self }
    run.count("unusable")
    try await close()
    return try open()
  }
}

extension StoreError {
  /// A failure of the system is said to be one, whatever it hit.
  func requireOfTheSystem(_ run: FaultRun, _ what: String) {
    switch self {
    case .diskFull, .system, .readOnly, .journal, .unusable: break
    default: run.problem("\(what), \(name): \(self)")
    }
  }
}
