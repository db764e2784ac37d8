import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// A process that is stopped at one of its writes.
enum Stopping {
  /// Does its work, and stops itself at the write of that number, as a debugger or a job control would.
  static func stop(_ arguments: Arguments) async throws {
    let path = arguments.path
    let write = UInt64(arguments.number("write"))
    func begin() { reprise_faults_fail(REPRISE_WRITE.rawValue, write, 1, 0, REPRISE_STOPS_AFTER) }
    reprise_faults_watch(path)
    switch arguments["work"] {
    case "save", "leave", "convert":
      // With after-images.
      let store = try open(arguments, StoreOptions())
      if arguments["work"] == "leave" { try leave("desk", in: store) }
      let context = RootContext(store, isolation: nil)
      if arguments["work"] == "convert" {
        context.insert(WordyGuest(_storage: ObjectStorage(WordyGuest.entity)))
      } else {
        context.insert(Entry(stamp: 1, previous: 0))
      }
      begin()
      try await context.save("Of the stopped process")
    default:
      begin()
      _ = try open(arguments, options())
    }
    say("done")
  }

  /// Types in a draft, which another process may take over then.
  private static func leave(_ draft: String, in store: Store) throws {
    let context = try RootContext(store, draft: draft, isolation: nil)
    context.insert(Entry(stamp: 33, previous: 0))
    try store.journal.write()
  }

  /// Makes a store that an opening has work with.
  static func prepare(_ arguments: Arguments) async throws {
    switch arguments["work"] {
    case "migrate": try await MergeProgram().prepare(arguments.path)
    case "grow":
      try await withStore(arguments.path, for: Schema(Guest.self)) { store in
        let context = RootContext(store, isolation: nil)
        for number in 0..<40 { context.insert(Guest(_storage: ObjectStorage(Guest.entity)))._storage.set(0, number) }
        try await context.save("Prepare")
      }
    case "convert":
      try await withStore(arguments.path, for: Schema(Guest.self)) { store in
        let context = try RootContext(store, draft: "desk", isolation: nil)
        context.insert(Guest(_storage: ObjectStorage(Guest.entity)))._storage.set(0, 33)
      }
    default: break
    }
  }

  /// Opens a store with all the work that there is.
  static func open(_ arguments: Arguments, _ options: StoreOptions) throws(StoreError) -> Store {
    switch arguments["work"] {
    case "migrate": return try MergeProgram.open(arguments.path, options)
    case "grow":
      var options = options
      options.indexing.atOnce = 10
      options.indexing.objectsRead = 20
      options.indexing.rows = 20
      options.indexing.mostRows = 20
      return try Store.openNow(arguments.path, for: Schema(GrownGuest.self), options)
    case "convert":
      var options = options
      options.migration = MigrationPlan(
        Migration(
          to: 1, "Numbers are texts",
          AttributeConversion("number", of: "Guest", from: Int.self, to: String.self) { "\($0)" }))
      return try Store.openNow(arguments.path, for: Schema(WordyGuest.self), options)
    default: return try Store.openNow(arguments.path, for: schema, options)
    }
  }
}

private final class Guest: TestModel {
  static let entity = Entity(Guest.self, name: "Guest", properties: [.attribute("number", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Of a later version, which computes an attribute and wants another to be unique.
private final class GrownGuest: TestModel {
  static let entity = Entity(
    GrownGuest.self, name: "Guest",
    properties: [
      .attribute("number", Int.self),
      .derived("text", String.self, of: GrownGuest.self) { guest in "\(guest._storage.get(0) as Int)" },
      .unique(["number"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Of a later version, whose numbers are texts.
private final class WordyGuest: TestModel {
  static let entity = Entity(WordyGuest.self, name: "Guest", properties: [.attribute("number", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
