import Foundation
import RepriseCore
import RepriseTool

extension Inspection {
  /// The unsaved edits that programs have left or are making.
  func allDrafts() throws -> JSON { .object(["drafts": .list(try store.drafts.all().map { json($0) })]) }

  private func json(_ draft: DraftInfo) -> JSON {
    .object([
      "id": .text(draft.id), "parent": .text(draft.parent), "author": .text(draft.author),
      "base": .int(draft.position.number), "time": .text(draft.changedAt.map { ValueText.time($0) }),
      "bytes": .int(draft.byteCount), "groups": .int(draft.groupCount), "lastGroup": .text(draft.lastGroupName),
      "objects": .list(draft.objects.prefix(100).map { .text($0.description) }),
      "objectCount": .int(draft.objects.count), "changes": .list(draft.preview.map { json($0) }),
      "unreadable": .text(draft.unreadableReason), "problems": .list(draft.problems.map { .text($0) }),
      "isInUse": .bool(draft.isInUse), "process": draft.process.map { .int(Int($0)) } ?? .null,
      "isAlive": .bool(draft.isInUse), "isResumed": .bool(drafts[draft.id] != nil),
    ])
  }

  private func json(_ preview: DraftPreview) -> JSON {
    let kind =
      switch preview.kind {
      case .inserted: "inserted"
      case .updated: "updated"
      case .deleted: "deleted"
      }
    return .object([
      "object": .text(preview.object.description), "kind": .text(kind),
      "properties": .list(
        preview.properties.map { property in
          .object([
            "property": .text(property.name), "old": property.old.map { ValueForm.json($0) } ?? .null,
            "new": property.new.map { ValueForm.json($0) } ?? .null,
          ])
        }),
    ])
  }

  /// A draft as a file.
  func draft(_ request: PageRequest) throws -> PageAnswer {
    let id = try request.required("id")
    let export = try DraftsReport.export(id, of: store)
    let store = store
    return PageAnswer(
      type: "application/jsonl", fileName: "draft-\(id).jsonl",
      body: .stream { write in try await export.write(store) { try await write([UInt8]($0.utf8)) } })
  }

  /// The screens that programs have left or are showing.
  @MainActor static func scenes(in store: Store) throws -> JSON {
    let scenes: [JSON] = try Restoration.scenes(in: store).map { scene in
      let archive = try Restoration.archive(of: scene.name, in: store)
      return .object([
        "name": .text(scene.name), "isInUse": .bool(scene.isInUse),
        "time": .text(scene.archive.savedAt == 0 ? nil : ValueText.time(scene.archive.savedAt)),
        "appVersion": .text(scene.archive.appVersion), "lastExit": .text("\(scene.archive.lastExit)"),
        "process": scene.process.map { .int(Int($0)) } ?? .null, "isAlive": .bool(scene.isInUse),
        "nodes": .list((archive?.nodes ?? []).map { Self.json($0) }),
        "objects": .list(
          (archive?.objects ?? []).map { object in
            .object(["key": .text(object.key), "state": object.state.map { JSON($0) } ?? .null])
          }),
      ])
    }
    return .object(["scenes": .list(scenes)])
  }

  nonisolated private static func json(_ node: ArchivedNode) -> JSON {
    .object([
      "path": .text("\(node.path)"), "kind": .text(node.kind), "version": .int(node.version),
      "bytes": .int(node.byteCount), "needs": .list(node.needs.map { .text($0) }), "draft": .text(node.draft),
      "state": node.state.map { JSON($0) } ?? .null, "problem": .text(node.problem),
    ])
  }
}
