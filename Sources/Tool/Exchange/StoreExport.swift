import Foundation
import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// Writes the objects of a store, so that another store can import them.
///
/// All objects are read at one position, even if a program saves meanwhile. Memory holds a batch of objects, and 16
/// bytes for each object of an entity.
package struct StoreExport {
  /// The form of the file.
  package enum Format: String, Sendable, CaseIterable {
    /// A header with the entities, and a line of JSON for each object.
    case jsonl
    /// A table for each entity.
    case csv
  }

  private static let batchSize = 1_000

  package var fetch: FetchText?
  /// The name of the only entity to export.
  package var entity: String?
  /// The position to read at, if the fetch has none. `nil` for the head.
  package var position: Position?
  /// Gets the part of the objects that is written, from 0 to 1.
  package var progress: @Sendable (Double) -> Void = { _ in }

  package init() {}

  /// Writes JSON lines.
  @MainActor package func writeJSON(_ store: Store, _ write: (String) throws -> Void) async throws {
    let context = try self.context(store)
    let header = ExportHeader(store.entities.sorted { $0.name < $1.name }.map { EntityDescription($0) })
    try write(header.json.line + "\n")
    var blobs: Set<Blob> = []
    let layouts = try entities(store).map { ExchangeLayout($0, in: store) }
    for layout in layouts where layout.singles.contains(where: { $0.kind == .blob }) {
      try forEachObject(layout.entity, in: context) { object in
        for property in layout.singles where property.kind == .blob {
          if let blob = try object[property.name].blob, blob.byteCount > 0 { blobs.insert(blob) }
        }
      }
    }
    for blob in blobs.sorted(by: { $0.sha256 < $1.sha256 }) {
      try await Self.write(blob, in: store) { try write($0) }
    }
    // The number of objects of a single entity may depend on a fetch.
    let weights = try layouts.map { layouts.count == 1 ? 1 : Double(try context.count($0.entity)) }
    let whole = max(1, weights.reduce(0, +))
    for (number, layout) in layouts.enumerated() {
      let done = weights[..<number].reduce(0, +)
      try forEachObject(layout.entity, in: context) { object in
        try write(Self.line(object, layout) + "\n")
      } progress: {
        progress((done + weights[number] * $0) / whole)
      }
    }
    try write(ExportHeader.end.line + "\n")
  }

  /// Writes the table of one entity, the only one or the one of the fetch. The rows have the order of the fetch.
  @MainActor package func writeCSV(_ store: Store, _ entity: Entity, _ write: (String) throws -> Void) throws {
    let context = try self.context(store)
    let table = CSVExport(layout: ExchangeLayout(entity, in: store))
    try write(table.heading)
    try forEachObject(entity, in: context, keepsOrder: true) {
      try write(table.row($0))
    } progress: {
      progress($0)
    }
  }

  /// The entities to export, in the order of their names.
  package func entities(_ store: Store) throws -> [Entity] {
    if let fetch {
      let found = try fetch.entity(among: store.entities)
      if let entity, try Places(store).entity(entity) !== found { throw ExportError.otherEntity(entity, found.name) }
      return [found]
    }
    if let entity { return [try Places(store).entity(entity)] }
    return store.entities.sorted { $0.name < $1.name }
  }

  // MARK: Objects

  private func context(_ store: Store) throws -> ObjectContext {
    try Places(store).context(at: fetch?.moment, or: position ?? store.log.head)
  }

  private func forEachObject(
    _ entity: Entity, in context: ObjectContext, keepsOrder: Bool = false,
    _ body: (any PersistentModel) throws -> Void, progress: (Double) -> Void = { _ in }
  ) throws {
    func visit<Model: PersistentModel>(_ model: Model.Type) throws {
      var ids = try context.fetchIDs(fetch.map { try $0.fetch(model) } ?? Fetch<Model>())
      if !keepsOrder { ids.sort { $0.uuid < $1.uuid } }
      for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
        // The instances of a batch end with it.
        let batch = try ids[start..<min(start + Self.batchSize, ids.count)].map { try context.object($0) }
        for object in batch { try body(object) }
        progress(Double(start + batch.count) / Double(ids.count))
      }
    }
    try visit(entity.model)
  }

  private static func line(_ object: any PersistentModel, _ layout: ExchangeLayout) throws -> String {
    var parts: [JSONText.Member] = [.init("object", .text(object._storage.id.description))]
    let values = try layout.singles.map { JSONText.Member($0.name, ExchangeValue.json(try object[$0.name])) }
    if !values.isEmpty { parts.append(.init("values", .members(values))) }
    if !layout.lists.isEmpty {
      let members = try layout.lists.map { list in
        let ids = try ExchangeLayout.members(list, of: object)
        return JSONText.Member(list.name, .list(ids.map { .text($0.description) }))
      }
      parts.append(.init("members", .members(members)))
    }
    return JSONText.members(parts).line
  }

  // MARK: Blobs

  /// The bytes of a blob in one line. Three bytes make four letters of base64.
  private static let pieceSize = 3 << 16

  nonisolated(nonsending) static func write(
    _ blob: Blob, in store: Store, _ write: (String) async throws -> Void
  ) async throws {
    for start in stride(from: 0, to: blob.byteCount, by: pieceSize) {
      let bytes = try await blob.bytes(start..<min(start + pieceSize, blob.byteCount), in: store)
      let piece = JSONText.members([
        .init("blob", ExchangeValue.json(.blob(blob))), .init("offset", .number("\(start)")),
        .init("bytes", .text(Data(bytes).base64EncodedString())),
      ])
      try await write(piece.line + "\n")
    }
  }
}
