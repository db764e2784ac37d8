import RepriseCore

/// What changes often, and whose past is asked for. By hand: the same in both workers.
final class BenchmarkRecord: PersistentModel {
  /// Whether the index over the dates keeps history. To be set before the model is first used.
  nonisolated(unsafe) static var keepsHistory = false

  static let entity = Entity(
    BenchmarkRecord.self, name: "Record",
    properties: [
      .attribute("number", Int.self, indexed: true),
      .attribute("name", String.self),
      .attribute("value", Int.self),
      .attribute("date", Int.self, indexed: !keepsHistory),
    ] + (keepsHistory ? [.index(["date"], keepsHistory: true)] : []))
  static let schema = Schema(BenchmarkRecord.self)

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(number: Int, name: String) {
    _storage = ObjectStorage(BenchmarkRecord.entity)
    _storage.set(0, number)
    _storage.set(1, name)
    _storage.set(3, number)
  }

  var name: String { _storage.get(1) }
  var value: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var date: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = BenchmarkRecord
    let number: Field<BenchmarkRecord, Int>
    let date: Field<BenchmarkRecord, Int>

    init(_ path: FieldPath) {
      number = Field(path.appending("number"))
      date = Field(path.appending("date"))
    }
  }

  var snapshot: BenchmarkRecord.ID { id }
}
