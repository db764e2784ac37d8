import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB

/// Indexes that are properties of their own: kept up by whoever saves, built, rebuilt and verified like any other.
final class IndexPropertyTests: XCTestCase {
  /// The same entities without some of what the others have.
  private final class PlainTodo: TestModel {
    static let entity = Entity(
      PlainTodo.self, name: "Todo", properties: [.attribute("title", String.self), .attribute("due", Double?.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ title: String) {
      _storage = ObjectStorage(PlainTodo.entity)
      self.title = title
    }
    @Stored(0) var title: String
    @Stored(1) var due: Double?
    struct Fields: FieldSet {
      typealias Model = PlainTodo
      let title: Field<PlainTodo, String>
      init(_ path: FieldPath) { title = Field(path.appending("title")) }
    }
  }

  private final class PlainFolder: TestModel {
    static let entity = Entity(PlainFolder.self, name: "Folder", properties: [.attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  private let whole = Schema(Todo.self, Folder.self)

  private func fill(_ context: RootContext) async throws {
    let folders = ["inbox", "work"].map { context.insert(Folder($0)) }
    for number in 0..<400 {
      let todo = context.insert(Todo("t\(number % 7)", due: number % 5 == 0 ? nil : Double(number)))
      todo.folder = number % 3 == 0 ? nil : folders[number % 2]
      todo.isDone = number % 2 == 0
      todo.note = number % 4 == 0 ? nil : "word\(number % 9) and others"
    }
    try await context.save()
  }

  private func requireSound(_ store: Store, file: StaticString = #filePath, line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [], file: file, line: line)
  }

  private func rows(_ store: Store, _ slot: Int) throws -> Int {
    let number = try XCTUnwrap(store.map.map(Todo.entity.interned)?.indexes[slot])
    return try store.environment.read { (transaction) throws(StorageError) in
      try CountedIndex(number: number, table: store.tables.indexes).count(in: transaction.view)
    }
  }

  private func relaunch(_ test: TestStore, _ schema: Schema) async throws -> RootContext {
    try await test.store.close()
    test.schema = schema
    try test.open()
    return RootContext(test.store)
  }

  func testSavesKeepTheRowsRight() async throws {
    let test = try TestStore(whole)
    let context = RootContext(test.store)
    try await fill(context)
    try await requireSound(test.store)
    for slot in 6...9 { XCTAssertEqual(try rows(test.store, slot), 400) }
    let todos = try context.fetch(Fetch<Todo>())
    for (number, todo) in todos.enumerated() {
      switch number % 8 {
      case 0: todo.isDone.toggle()
      case 1: todo.due = Double(-number)
      case 2: todo.folder = nil
      case 3: todo.note = "another word, another"
      case 4: todo.rank += 1
      case 5: context.delete(todo)
      default: break
      }
    }
    try await context.save()
    try await requireSound(test.store)
    let folder = try XCTUnwrap(context.fetch(Fetch<Folder>()).first)
    context.delete(folder)
    try await context.save()
    try await requireSound(test.store)
  }

  func testAnIndexIsBuiltOverWhatIsThereAndKeptByAModelThatLacksIt() async throws {
    let test = try TestStore(Schema(PlainTodo.self, PlainFolder.self))
    let first = RootContext(test.store)
    for number in 0..<300 { first.insert(PlainTodo("t\(number)")) }
    try await first.save()

    let second = try await relaunch(test, whole)
    try await requireSound(test.store)
    XCTAssertEqual(try rows(test.store, 6), 300)
    try await fill(second)

    // A model that has some of the columns, and none of the indexes.
    let third = try await relaunch(test, Schema(PlainTodo.self, PlainFolder.self))
    let todos = try third.fetch(Fetch<PlainTodo>())
    for (number, todo) in todos.enumerated() {
      switch number % 6 {
      case 0: todo.title = "changed \(number)"
      case 1: todo.due = todo.due.map { -$0 } ?? 7
      case 2: third.delete(todo)
      default: break
      }
    }
    third.insert(PlainTodo("new"))
    try await third.save()
    // Empties references that the model does not know.
    for folder in try third.fetch(Fetch<PlainFolder>()).prefix(1) { third.delete(folder) }
    try await third.save()
    try await requireSound(test.store)
    let last = try await relaunch(test, whole)
    XCTAssertEqual(try rows(test.store, 7), try last.count(Fetch<Todo>()))
  }

  func testVerifyFindsARowThatIsNotTheObjects() async throws {
    let test = try TestStore(whole)
    try await fill(RootContext(test.store))
    for (name, count) in [("[isDone, due]", 2), ("words of note", 2)] {
      try test.store.removeLastIndexRow(of: "Todo", name)
      let problems = try await StoreMaintenance.verify(test.store).problems
      XCTAssertGreaterThanOrEqual(problems.count, count, "\(problems)")
      XCTAssertTrue(problems.allSatisfy { $0.contains(name) }, "\(problems)")
      try await test.store.close()
      _ = try await StoreMaintenance.rebuild(test.path)
      try test.open()
      try await requireSound(test.store)
    }
  }

  func testAStoreWithIndexesIsSalvagedWhole() async throws {
    let test = try TestStore(whole)
    try await fill(RootContext(test.store))
    try test.store.removeLastIndexRow(of: "Todo", "[folder, title]")
    try await test.store.close()
    let path = test.path + "-salvaged"
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try await StoreMaintenance.salvage(test.path, to: path)
    let store = try await Store.open(path, for: Todo.self, Folder.self)
    try await requireSound(store)
    XCTAssertEqual(try rows(store, 7), 400)
    try await store.close()
  }

  func testNoFieldHasTheNameOfAnIndex() async throws {
    XCTAssertThrowsError(try Field<Todo, String>(named: "[isDone, due]"))
    let test = try TestStore(whole)
    let context = RootContext(test.store)
    XCTAssertThrowsError(
      try context.fetch(Fetch<Todo> { _ in Field<Todo, Bool>(FieldPath.root.appending("[isDone, due]")) == true })
    ) { error in
      guard case FetchError.unknownProperty? = error as? FetchError else { return XCTFail("\(error)") }
    }
  }
}
