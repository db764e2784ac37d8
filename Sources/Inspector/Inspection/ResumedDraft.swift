import RepriseCore
import RepriseTool

/// A draft that the page shows and edits. Its context holds the draft, so no other context can have it meanwhile.
///
/// Only the inspection uses it, on its queue.
final class ResumedDraft {
  let id: String
  let context: RootContext
  /// Grows with each change. An answer about an earlier version is then not used again.
  private(set) var version = 0
  /// Whether a save or the end of the draft is under way.
  var isEnding = false

  init(_ id: String, _ context: RootContext) { (self.id, self.context) = (id, context) }

  func changed() { version += 1 }

  /// The state for the bar of the page.
  func json() throws -> JSON {
    let changes = context.changes
    return .object([
      "id": .text(id), "author": .text(context.author), "position": .int(context.position.number),
      "inserted": .int(changes.inserted.count), "updated": .int(changes.updated.count),
      "deleted": .int(changes.deleted.count), "conflicts": .int(try context.conflicts().count),
      "canUndo": .bool(context.canUndo), "undo": .text(context.undoName), "canRedo": .bool(context.canRedo),
      "redo": .text(context.redoName), "problems": .list(context.draftProblems.map { .text(CommandWords.text($0)) }),
    ])
  }
}

/// The state that an answer shows.
package struct ShownState: Equatable {
  let position: Position
  /// The draft whose edits are on top.
  let draft: String?
  let version: Int
}

/// The changes of a draft, for the marks in the grid.
struct UnsavedChanges {
  let inserted: Set<AnyObjectID>
  private let updated: Set<AnyObjectID>

  init(_ draft: ResumedDraft) {
    let changes = draft.context.changes
    (inserted, updated) = (Set(changes.inserted), Set(changes.updated))
  }

  /// The unsaved values of an object that the store has.
  func values(of object: some PersistentModel) -> [PropertyDifference] {
    updated.contains(object.id.any) ? object.pendingChanges : []
  }
}
