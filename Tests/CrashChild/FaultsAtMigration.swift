import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// A newer version of the program merges two entities, to which others refer.
struct MergeProgram: CutProgram {
  private static let count = 40

  private static let migration = Migration(
    to: 1, "Plants", mapping: [.move("Tree", to: "Plant"), .move("Herb", to: "Plant")])
  private static let plan = MigrationPlan(migration)

  /// Opens the store with models to which it must be migrated, and waits while another process does that.
  static func open(_ path: String, _ options: StoreOptions) throws(StoreError) -> Store {
    var options = options
    options.migration = MigrationPlan(migration, waitsForOthers: true)
    return try Store.openNow(path, for: Schema(Plant.self, Leaf.self), options)
  }

  private static var options: StoreOptions {
    var options = StoreOptions()
    options.migration = plan
    return options
  }

  func prepare(_ path: String) async throws {
    let store = try Store.openNow(path, for: Schema(Tree.self, Herb.self, OldLeaf.self), StoreOptions())
    let context = RootContext(store, isolation: nil)
    for number in 0..<Self.count {
      let tree = context.insert(Tree(_storage: ObjectStorage(Tree.entity)))
      tree._storage.set(0, number)
      let herb = context.insert(Herb(_storage: ObjectStorage(Herb.entity)))
      herb._storage.set(0, Self.count + number)
      let leaf = context.insert(OldLeaf(_storage: ObjectStorage(OldLeaf.entity)))
      leaf._storage.set(0, number)
      leaf._storage.setToOne(1, tree, of: leaf)
    }
    try await context.save("Plant")
    try await store.close()
  }

  mutating func work(_ path: String, _ run: FaultRun) async {
    do throws(StoreError) {
      let store = try Store.openNow(path, for: Schema(Plant.self, Leaf.self), Self.options)
      await store.abandon()
    } catch {
      run.fail("refused")
      error.requireOfTheSystem(run, "migrating")
    }
  }

  mutating func look(_ path: String, _ run: FaultRun) async throws {
    let store = try Store.openNow(path, for: Schema(Plant.self, Leaf.self), Self.options)
    let context = RootContext(store, isolation: nil)
    let numbers = try context.fetch(Fetch<Plant>()).map { (plant) -> Int in plant._storage.get(0) }
    if numbers.sorted() != Array(0..<2 * Self.count) { run.problem("there are \(numbers.count) plants") }
    for leaf in try context.fetch(Fetch<Leaf>()) {
      let number: Int = leaf._storage.get(0)
      let plant: Plant? = leaf._storage.toOne(1)
      if plant.map({ $0._storage.get(0) }) != number { run.problem("leaf \(number) is another plant's") }
    }
    try run.requireSound(store)
    try await store.close()
  }
}

private final class Tree: TestModel {
  static let entity = Entity(
    Tree.self, name: "Tree", properties: [.attribute("number", Int.self), .toMany("leaves", OldLeaf.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Herb: TestModel {
  static let entity = Entity(Herb.self, name: "Herb", properties: [.attribute("number", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class OldLeaf: TestModel {
  static let entity = Entity(
    OldLeaf.self, name: "Leaf",
    properties: [.attribute("number", Int.self), .toOne("tree", Tree.self, inverse: "leaves")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Plant: TestModel {
  static let entity = Entity(
    Plant.self, name: "Plant",
    properties: [.attribute("number", Int.self, indexed: true), .toMany("leaves", Leaf.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Leaf: TestModel {
  static let entity = Entity(
    Leaf.self, name: "Leaf",
    properties: [.attribute("number", Int.self), .toOne("plant", Plant.self, inverse: "leaves")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
