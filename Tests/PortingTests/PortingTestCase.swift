import Foundation
import Reprise
import RepriseTestModels
import RepriseTesting
import XCTest

/// The examples of Docs/Porting.md: each is a piece of a test below, word for word.
@MainActor class PortingTestCase: XCTestCase {
  enum Keys {
    static let context: RestorationKey<RootContext> = "managedObjectContext"
    static func document(_ name: String) -> RestorationKey<RootContext> { RestorationKey("document \(name)") }
  }

  func makeStore() async throws -> TemporaryStore { try await TemporaryStore(for: Item.self, Person.self, Run.self) }

  @discardableResult
  func insert(_ names: String..., in store: Store) async throws -> [Item] {
    let items = names.map { store.mainContext.insert(Item(name: $0)) }
    try await store.mainContext.save("Add items")
    return items
  }
}

/// A run of a training plan.
final class Run: PersistentModel {
  static let entity = Entity(
    Run.self, name: "Run", properties: [.attribute("start", Date.self, indexed: true), .attribute("metres", Int.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(start: Date, metres: Int) {
    _storage = ObjectStorage(Run.entity)
    self.start = start
    self.metres = metres
  }

  var start: Date {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var metres: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Run
    let start: Field<Run, Date>
    let metres: Field<Run, Int>
    init(_ path: FieldPath) {
      start = Field(path.appending("start"))
      metres = Field(path.appending("metres"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Run.ID
    let start: Date
    let metres: Int
  }
  var snapshot: Snapshot { Snapshot(id: id, start: start, metres: metres) }
}
