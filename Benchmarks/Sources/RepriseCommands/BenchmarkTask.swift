import RepriseCore
import Workload

/// A task, with an index over two properties and one of words. By hand: the same in both workers.
final class BenchmarkTask: PersistentModel {
  static let entity = Entity(
    BenchmarkTask.self, name: "Task",
    properties: [
      .attribute("text", String.self),
      .attribute("dueDate", Double.self),
      .attribute("isDone", Bool.self),
      .searchIndex("text"),
      .index(["isDone", "dueDate"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ facts: TaskFacts) {
    _storage = ObjectStorage(BenchmarkTask.entity)
    text = facts.text
    dueDate = ItemFacts.date(facts.ticks)
    isDone = facts.isDone
  }

  var text: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var dueDate: Double {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var isDone: Bool {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = BenchmarkTask
    let text: Field<BenchmarkTask, String>
    let dueDate: Field<BenchmarkTask, Double>
    let isDone: Field<BenchmarkTask, Bool>

    init(_ path: FieldPath) {
      text = Field(path.appending("text"))
      dueDate = Field(path.appending("dueDate"))
      isDone = Field(path.appending("isDone"))
    }
  }

  struct Snapshot: Sendable {
    let id: BenchmarkTask.ID
    let text: String
  }

  var snapshot: Snapshot { Snapshot(id: id, text: text) }
}
