import RepriseCore
import RepriseRemote
import Workload

/// A server's rows, kept in the store, when the server does not answer.
@MainActor struct Mirrors {
  let path: String
  private static var schema: Schema { Schema([MirroredTask.self] + RemoteModels.all) }

  func make(objects: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Self.schema)
    let source = try source(RootContext(store), from: TaskServer(count: objects))
    while source.canLoadMore { try await source.loadMore() }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// Caches the rows of a server that answers, page by page, beside the list that shows them.
  func load(_ objects: Int) async throws {
    // Another one in each round, as one that is loaded already would bring nothing.
    let store = try await Store.open("\(path)/loaded-\(UniqueID())", for: Self.schema)
    let source = try source(RootContext(store), from: TaskServer(count: objects))
    let began = Bench.now()
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    await source.list.delivered()
    let elapsed = Bench.now() - began
    guard source.count == objects else { WorkerExit.end(WorkerExit.unsupported) }
    Bench.put("bytes", Bench.anonymousBytes())
    Bench.put("objects", objects)
    Bench.put("elapsed", elapsed)
    withExtendedLifetime(source) {}
    try await store.close()
  }

  private func source(
    _ context: RootContext, from server: TaskServer
  ) throws -> RemoteSource<MirroredTask, TaskServer> {
    try RemoteSource("tasks", MirroredTask.byDate, in: context, from: server, mapping: MirroredTask.mapping)
  }

  /// False if it is no question of this kind.
  func ask(_ question: String, rounds: Int) async throws -> Bool {
    guard question == "remote" || question == "remote.list" else { return false }
    var hash = Hash()
    for _ in 0..<rounds {
      let store = try await Store.open(path, for: Self.schema)
      let began = Bench.now()
      let context = RootContext(store)
      let texts: [String]
      if question == "remote" {
        texts = first(of: try source(context, from: TaskServer(count: nil)))
      } else {
        texts = first(of: try FetchedList(MirroredTask.byDate, in: context))
      }
      Bench.put("sample", Bench.now() - began)
      for text in texts { hash.add(text) }
      withExtendedLifetime(context) {}
      try await store.close()
    }
    Bench.put("check", hash.value)
    return true
  }

  private func first<Rows: DataSource>(of rows: Rows) -> [String] where Rows.Element == MirroredTask {
    (0..<min(Questions.first, rows.rowCount(inSection: 0))).map { rows.element(at: RowPath(item: $0)).text }
  }
}

/// Tasks in pages; or nobody who answers.
struct TaskServer: RemoteTransport {
  /// `nil` without a network.
  let count: Int?

  struct Record: Codable {
    let id: String
    let text: String
    let dueDate: Double
  }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<Record> {
    guard let count else { throw RemoteError.unavailable(reason: "there is no network", retryAfter: nil) }
    let first = request.page.flatMap { Int($0) } ?? 0
    let last = min(count, first + 1_000)
    let records = (first..<last).map { number in
      let facts = TaskFacts(number: number)
      return Record(id: "task \(number)", text: facts.text, dueDate: ItemFacts.date(facts.ticks))
    }
    return .page(RemotePage(records: records, nextPage: last < count ? "\(last)" : nil))
  }

  func send(_ change: RemoteChange<Record>) async throws -> RemoteAnswer<Record> {
    throw RemoteError.unavailable(reason: "there is no network", retryAfter: nil)
  }
}

/// A task as a server has it.
final class MirroredTask: PersistentModel {
  static let entity = Entity(
    MirroredTask.self, name: "MirroredTask",
    properties: [
      .attribute("remoteID", String.self),
      .attribute("text", String.self),
      .attribute("dueDate", Double.self, indexed: true),
      .unique(["remoteID"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var text: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var dueDate: Double {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var remoteID: String { _storage.get(0) }

  static var byDate: Fetch<MirroredTask> { Fetch<MirroredTask>().sorted { $0.dueDate } }

  static var mapping: RemoteMapping<MirroredTask, TaskServer.Record> {
    RemoteMapping(
      key: { $0.remoteID }, id: { $0.id },
      apply: { record, task, _ in
        task.text = record.text
        task.dueDate = record.dueDate
      },
      record: { TaskServer.Record(id: $0.remoteID, text: $0.text, dueDate: $0.dueDate) })
  }

  struct Fields: FieldSet {
    typealias Model = MirroredTask
    let remoteID: Field<MirroredTask, String>
    let text: Field<MirroredTask, String>
    let dueDate: Field<MirroredTask, Double>

    init(_ path: FieldPath) {
      remoteID = Field(path.appending("remoteID"))
      text = Field(path.appending("text"))
      dueDate = Field(path.appending("dueDate"))
    }
  }

  var snapshot: MirroredTask.ID { id }
}
