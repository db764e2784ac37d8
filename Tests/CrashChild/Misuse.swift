import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
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
    if what == "derive" {
      RootContext(try Store.openNow(path, for: Schema(Bead.self), options()), isolation: nil).insert(Bead())
      return
    }
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
    default: problem("no misuse '\(what)'")
    }
  }
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
