import RepriseEventStore
import RepriseLMDB
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Does what stops the program; what the system says then goes to the parent.
enum Misuse {
  static func commit(_ what: String, _ path: String) async throws {
    dup2(1, 2)
    func root(_ schema: Schema) throws -> RootContext {
      RootContext(try Store.openNow(path, for: schema, options()), isolation: nil)
    }
    switch what {
    case "derive": try root(Schema(Bead.self)).insert(Bead())
    case "change": try root(Schema(Bolt.self)).insert(Bolt())
    case "enum": say("\(Coin().side)")
    case "order": say(Album("A").songs[3].name)
    case "row": say("\(ArraySource([1, 2]).element(at: RowPath(section: 0, item: 7)))")
    case "rows": say("\(ArraySource([1, 2]).rows[7])")
    case "section": say("\(ArraySource([1, 2]).sections[3].count)")
    case "list": say("\(try FetchedList(Fetch<Cell>(), in: root(schema)).element(at: RowPath(section: 0, item: 7)))")
    case "queue": SerialQueue().checkIsCurrent()
    case "main":
      let store = try Store.openNow(path, for: schema, options())
      try await MainActor.run { _ = try RootContext(store).saveAndWait() }
    case "table":
      mkdir(path, 0o755)
      say(try Environment.open(directory: path, Environment.Options(tables: ["log"])).table("nowhere").name)
    default: try await share(what, path)
    }
  }

  /// Hands objects to contexts that they do not belong to.
  private static func share(_ what: String, _ path: String) async throws {
    let models = what == "undeclared" ? Schema(Cell.self) : schema
    let store = try Store.openNow(path, for: models, options())
    let name = what == "unnamed" ? nil : "importer"
    let root = RootContext(store, name: name, isolation: nil)
    let other = RootContext(store, isolation: nil)
    let editor = try other.makeChild(draft: "editor")
    let theirs = editor.insert(Cell(lane: 1, place: 1))
    let ours = root.insert(Cell(lane: 1, place: 2))
    switch what {
    case "relate": ours.partner = theirs
    case "insert": root.insert(theirs)
    case "delete": root.delete(theirs)
    case "add": ours.partners.insert(theirs)
    case "remove": ours.partners.remove(theirs)
    case "unnamed": root.delete(other.insert(Cell(lane: 2, place: 1)))
    case "detached": root.delete(Cell(lane: 2, place: 1))
    case "undeclared": root.insert(Entry(stamp: 1, previous: 0))
    case "read", "past":
      let saved = try await root.save()
      let old = try store.context(at: saved).object(ours.id)
      if what == "read" { old.lane = 2 } else { root.delete(old) }
    default: problem("no misuse '\(what)'")
    }
  }
}

/// Changes itself when it is computed.
private final class Bolt: TestModel {
  static let entity = Entity(
    Bolt.self, name: "Bolt",
    properties: [
      .attribute("size", Int.self),
      .derived("isLarge", Bool.self, of: Bolt.self) { bolt in
        bolt.size = 1
        return true
      },
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Stored(0) var size: Int
}

/// Has an attribute without a default.
private final class Coin: TestModel {
  enum Side: String, AttributeValue { case head, tail }
  static let entity = Entity(Coin.self, name: "Coin", properties: [.attribute("side", Side.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Stored(0) var side: Side
}

/// Derives from another object.
private final class Bead: TestModel {
  static let entity = Entity(
    Bead.self, name: "Bead",
    properties: [
      .toOne("next", Bead.self, inverse: "previous"), .toOne("previous", Bead.self),
      .derived("isLast", Bool.self, of: Bead.self) { $0.next == nil },
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var next: Bead? { _storage.toOne(0) }
}
