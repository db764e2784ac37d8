import Foundation
import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// The content of a store in numbers: entities, counts, indexes, sizes, and the span of the log.
package struct InfoReport: Encodable {
  struct EntityInfo: Encodable {
    let name: String
    let objects: Int
    let attributes: Int
    let relationships: Int
    let indexes: Int
  }

  struct IndexInfo: Encodable {
    /// The name that `verify` and the plan of a fetch use.
    let name: String
    let entity: String
    let properties: [String]
    /// `index`, `unique` or `words`.
    let kind: String
  }

  struct Moment: Encodable {
    let position: UInt64
    let time: String?
  }

  let path: String
  let bytes: Int
  let first: Moment
  let head: Moment
  /// The bytes of each table of the file that has rows, and of the `free` pages. `nil` if the tables are unreadable.
  let parts: [String: Int]?
  let entities: [EntityInfo]
  let indexes: [IndexInfo]
  /// The IDs of drafts with unsaved edits.
  let drafts: [String]
  /// The names of the scenes whose screens the store keeps.
  let scenes: [String]
  /// The IDs of the other processes that have the store open and have read it.
  let processes: [Int32]
  /// The reason why the drafts, scenes or processes are not known.
  let problem: String?

  package init(_ store: Store) throws {
    path = store.path
    bytes = Self.size(of: store.path + "/data.mdb")
    parts = Self.parts(of: store, bytes: bytes)
    let firstPosition = try store.log.firstPosition
    first = try Moment(firstPosition, store)
    head = try Moment(store.log.head, store)
    let context = RootContext(store)
    entities = try store.entities.sorted { $0.name < $1.name }.map { entity in
      EntityInfo(
        name: entity.name, objects: try context.count(entity), attributes: entity.attributes.count,
        relationships: entity.relationships.count,
        indexes: Self.indexes(of: entity).count)
    }
    indexes = store.entities.sorted { $0.name < $1.name }.flatMap(Self.indexes)
    var problem: String?
    // A damaged folder of journals leaves the objects readable.
    func known<Value>(_ read: () throws -> [Value]) -> [Value] {
      do { return try read() } catch {
        problem = problem ?? CommandWords.of(error)
        return []
      }
    }
    drafts = known { try store.drafts.all().map(\.id) }
    scenes = known { try Restoration.sceneNames(in: store) }
    processes = known { try store.openProcesses() }
    self.problem = problem
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line("\(PlainText.line(path)), \(ValueText.bytes(bytes))")
    let count = head.position < first.position ? 0 : head.position - first.position + 1
    try output.line(
      count == 0
        ? "log: no transactions"
        : "log: \(count) transactions, \(text(first)) to \(text(head))"
          + (first.position > 1 ? ". Earlier ones were dropped." : ""))
    if let partsText { try output.line("parts: \(partsText)") }
    if !drafts.isEmpty { try output.line("drafts: " + drafts.map(PlainText.line).joined(separator: ", ")) }
    if !scenes.isEmpty { try output.line("scenes: " + scenes.map(PlainText.line).joined(separator: ", ")) }
    if !processes.isEmpty {
      try output.line("open in processes: \(processes.map(String.init).joined(separator: ", "))")
    }
    if let problem { try output.line("problem: \(PlainText.line(problem))") }
    try output.line()
    var table = Table([
      ("entity", .left), ("objects", .right), ("attributes", .right), ("relationships", .right), ("indexes", .right),
    ])
    for entity in entities {
      table.add([
        entity.name, "\(entity.objects)", "\(entity.attributes)", "\(entity.relationships)", "\(entity.indexes)",
      ])
    }
    try output.lines(table)
    try writeIndexes(to: output)
  }

  private func text(_ moment: Moment) -> String {
    "@\(moment.position)" + (moment.time.map { " (\($0))" } ?? "")
  }
}

extension InfoReport.Moment {
  fileprivate init(_ position: Position, _ store: Store) throws {
    self.position = position.number
    // A transaction may have thousands of changes.
    let transaction = try store.log.transaction(at: position, matching: TransactionFilter(), firstChangeOnly: true)
    time = transaction.map { ValueText.time($0.microseconds) }
  }
}

// MARK: Parts and indexes

extension InfoReport {
  /// The tables in the order of the report. All smaller ones are one part.
  private static let tables = ["log", "objects", "indexes", "values", "blobs", "drafts", "archives", "projections"]

  // `FileManager` takes longer than the whole report.
  private static func size(of file: String) -> Int {
    var status = stat()
    return stat(file, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func parts(of store: Store, bytes: Int) -> [String: Int]? {
    guard let sizes = try? store.environment.tableSizes() else { return nil }
    var parts = sizes.filter { $0.value > 0 && tables.contains($0.key) }
    parts["other"] = sizes.reduce(0) { $0 + (tables.contains($1.key) ? 0 : $1.value) }
    // Another process may save meanwhile.
    parts["free"] = max(0, bytes - sizes.values.reduce(0, +))
    return parts
  }

  private var partsText: String? {
    parts.map { parts in
      (Self.tables + ["other", "free"]).compactMap { name in
        parts[name].flatMap { $0 == 0 ? nil : "\(name) \(ValueText.bytes($0))" }
      }.joined(separator: ", ")
    }
  }

  /// The indexes that the models declare.
  private static func indexes(of entity: Entity) -> [IndexInfo] {
    entity.declaredProperties.compactMap { property in
      func info(_ properties: [String], _ kind: String) -> IndexInfo {
        IndexInfo(name: property.name, entity: entity.name, properties: properties, kind: kind)
      }
      return switch property.role {
      case .attribute(let attribute): attribute.isIndexed ? info([property.name], "index") : nil
      case .index(.columns(let columns, let uniqueness, _)):
        info(columns.map(\.name), uniqueness == .none ? "index" : "unique")
      case .index(.words(let attribute)): info([attribute], "words")
      case .toOne, .toMany: nil
      }
    }
  }

  private func writeIndexes(to output: Output) throws {
    if indexes.isEmpty { return }
    try output.line()
    var table = Table([("index", .left), ("entity", .left), ("properties", .left), ("kind", .left)])
    for index in indexes {
      table.add([index.name, index.entity, index.properties.joined(separator: ", "), index.kind])
    }
    try output.lines(table)
  }
}
