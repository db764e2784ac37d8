import Foundation
import RepriseCore
import RepriseDynamic

/// The content of a store in numbers: entities, counts, indexes, sizes, and the span of the log.
package struct InfoReport: Encodable {
  struct EntityInfo: Encodable {
    let name: String
    let objects: Int
    let attributes: Int
    let relationships: Int
    let indexes: Int
  }

  struct Moment: Encodable {
    let position: UInt64
    let time: String?
  }

  let path: String
  let bytes: Int
  let first: Moment
  let head: Moment
  let entities: [EntityInfo]
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
    let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + "/data.mdb")
    bytes = (attributes?[.size] as? Int) ?? 0
    let firstPosition = try store.log.firstPosition
    first = try Moment(firstPosition, store)
    head = try Moment(store.log.head, store)
    let context = RootContext(store)
    entities = try store.entities.sorted { $0.name < $1.name }.map { entity in
      EntityInfo(
        name: entity.name, objects: try context.count(entity), attributes: entity.attributes.count,
        relationships: entity.relationships.count,
        indexes: entity.indexCount)
    }
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
      "log: \(count) transactions, \(text(first)) to \(text(head))"
        + (first.position > 1 ? ". Earlier ones were dropped." : ""))
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

extension Entity {
  /// The indexes that the models declare.
  fileprivate var indexCount: Int {
    declaredProperties.count { property in
      switch property.role {
      case .attribute(let attribute): attribute.isIndexed
      case .index: true
      case .toOne, .toMany: false
      }
    }
  }
}
