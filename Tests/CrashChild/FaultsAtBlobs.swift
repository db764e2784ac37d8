import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// A program that brings a blob of several slices into its store, and saves an object that has it.
struct BlobProgram: FaultProgram {
  private static let schema = Schema(Photo.self)
  private static let old = bytes(0x11, 5_000)
  private static let new = bytes(0x22, 2_600_000)

  private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  private enum Save { case none, saved, unknown }
  private var save = Save.none

  private static var options: StoreOptions {
    var options = StoreOptions()
    options.cleaningDelay = 0
    return options
  }

  func prepare(_ path: String) async throws {
    let store = try Store.openNow(path, for: Self.schema, Self.options)
    try await Self.add(Self.old, to: store)
    try await store.close()
  }

  private static func add(_ bytes: [UInt8], to store: Store) async throws {
    let context = RootContext(store, isolation: nil)
    context.insert(Photo(name: "", original: try await Blob(bytes, in: store)))
    try await context.save("Photo")
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do throws(StoreError) {
      let store = try Store.openNow(path, for: Self.schema, Self.options)
      await work(in: store, path, run)
      try? await store.cleaning.wait()
      await store.abandon()
    } catch {
      run.fail("unopened")
      error.requireOfTheSystem(run, "opening")
    }
  }

  private mutating func work(in store: Store, _ path: String, _ run: FaultRun) async {
    do {
      try await Self.add(Self.new, to: store)
      save = .saved
      run.count("saved")
    } catch BlobError.store(let error) {
      run.fail("refused")
      error.requireOfTheSystem(run, "bringing a blob in")
      await doAgain(after: error, store, path, run)
    } catch SaveError.outcomeUnknown {
      run.fail("unknown")
      save = .unknown
    } catch SaveError.store(let error) {
      run.fail("unsaved")
      error.requireOfTheSystem(run, "saving")
    } catch {
      run.problem("\(error)")
    }
  }

  /// Takes the next step that the error names. The fault is over, so it works.
  private mutating func doAgain(after error: StoreError, _ failed: Store, _ path: String, _ run: FaultRun) async {
    do {
      let store = try await failed.usable(after: error, run) { () throws(StoreError) in
        try Store.openNow(path, for: Self.schema, Self.options)
      }
      try await Self.add(Self.new, to: store)
      save = .saved
      if store !== failed { try await store.close() }
    } catch {
      run.problem("bringing it in again, without a fault: \(error)")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    var store = try Store.openNow(path, for: Self.schema, Self.options)
    var photos = try await Self.photos(in: store)
    let isThere = photos.count == 2
    switch save {
    case .saved: if !isThere { run.problem("it was saved, and is not there") }
    case .none: if isThere { run.problem("it was refused, and is there") }
    case .unknown: run.count(isThere ? "stands" : "stands-not")
    }
    if photos != (isThere ? [Self.old, Self.new] : [Self.old]) { run.problem("the bytes are others") }
    if !isThere { try await Self.add(Self.new, to: store) }
    // What no object has is gone with the next opening.
    try await store.close()
    store = try Store.openNow(path, for: Self.schema, Self.options)
    try? await store.cleaning.wait()
    if try !store.cleaning.isClean(store) { run.problem("something of an upload is left") }
    photos = try await Self.photos(in: store)
    if photos != [Self.old, Self.new] { run.problem("it cannot be brought in any more") }
    let report = try run.requireSound(store)
    if report.blobs != 2 { run.problem("there are \(report.blobs) blobs") }
    try await store.close()
  }

  private static func photos(in store: Store) async throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    for photo in try RootContext(store, isolation: nil).fetch(Fetch<Photo>()) {
      found.append(try await photo.original.bytes(in: store))
    }
    return found
  }
}

extension BlobProgram: CutProgram {
  mutating func expect(_ promises: [String]) { save = promises.contains("done") ? .saved : .unknown }
}
