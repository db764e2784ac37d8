import RepriseCore
import RepriseObjectModel

/// Writes all unsaved edits of a draft as JSON lines.
///
/// A header has the draft and its base. Then comes a line for each object, in the order of the IDs, with whole values.
/// Lines with the bytes of blobs come before the objects, as in an export of a store.
package struct DraftExport: Sendable {
  static let key = "reprise-draft"
  static let version = 1

  private let header: JSONText
  private let lines: [JSONText]
  private let blobs: [Blob]

  /// - Throws: ``ToolError/unreadableDraft(_:reason:)``.
  package init(_ draft: DraftInfo, of store: Store) throws(ToolError) {
    if let reason = draft.unreadableReason { throw .unreadableDraft(draft.id, reason: reason) }
    header = .members([
      .init(Self.key, .number("\(Self.version)")), .init("draft", .text(draft.id)),
      .init("parent", draft.parent.map { .text($0) } ?? .null),
      .init("author", draft.author.map { .text($0) } ?? .null),
      .init("base", .number("\(draft.position.number)")),
      .init("time", draft.changedAt.map { .text(ValueText.time($0)) } ?? .null),
    ])
    let changes = DraftChanges(draft, of: store).all
    lines = changes.map(Self.line)
    var blobs: Set<Blob> = []
    for property in changes.flatMap(\.properties) {
      if case .value(_, let to) = property.form, let blob = to.blob, blob.byteCount > 0 { blobs.insert(blob) }
    }
    self.blobs = blobs.sorted { $0.sha256 < $1.sha256 }
  }

  package nonisolated(nonsending) func write(
    _ store: Store, _ write: (String) async throws -> Void
  ) async throws {
    try await write(header.line + "\n")
    for blob in blobs { try await StoreExport.write(blob, in: store, write) }
    for line in lines { try await write(line.line + "\n") }
    try await write(ExportHeader.end.line + "\n")
  }

  private static func line(_ change: LoggedTransaction.Change) -> JSONText {
    var (old, new, members): ([JSONText.Member], [JSONText.Member], [JSONText.Member]) = ([], [], [])
    for property in change.properties {
      switch property.form {
      case .value(let from, let to):
        if change.kind != .inserted { old.append(.init(property.property, ExchangeValue.json(from))) }
        if change.kind != .deleted { new.append(.init(property.property, ExchangeValue.json(to))) }
      case .members(let added, let removed):
        func list(_ ids: [AnyObjectID]) -> JSONText { .list(ids.sorted().map { .text($0.description) }) }
        members.append(
          .init(property.property, .members([.init("added", list(added)), .init("removed", list(removed))])))
      default: break
      }
    }
    let parts: [(String, [JSONText.Member])] = [("old", old), ("values", new), ("members", members)]
    return .members(
      [.init("object", .text(change.object.description)), .init("change", .text("\(change.kind)"))]
        + parts.filter { !$0.1.isEmpty }.map { .init($0.0, .members($0.1)) })
  }
}
