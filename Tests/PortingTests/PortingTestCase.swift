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
final class Run: TestModel {
  static let entity = Entity(
    Run.self, name: "Run", properties: [.attribute("start", Date.self, indexed: true), .attribute("metres", Int.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(start: Date, metres: Int) {
    _storage = ObjectStorage(Run.entity)
    self.start = start
    self.metres = metres
  }

  @Stored(0) var start: Date
  @Stored(1) var metres: Int

  struct Fields: FieldSet {
    typealias Model = Run
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var start: Field<Run, Date> { Field(path.appending("start")) }
    var metres: Field<Run, Int> { Field(path.appending("metres")) }
  }
}
