import RepriseCore
import RepriseObjectGraph
import RepriseTool

/// The contexts of the main actor in the program that serves the page.
@MainActor
package final class LiveContexts {
  private struct Weak { weak var context: RootContext? }

  package nonisolated let fetches = RecentFetches()
  private var added: [Weak] = []
  /// The most changed objects of a context that are sent.
  private static let mostObjects = 50

  package nonisolated init() {}

  package func add(_ context: RootContext) {
    added.removeAll { $0.context == nil || $0.context === context }
    added.append(Weak(context: context))
  }

  /// The main context, the added ones, and all their children.
  func json(of store: Store) -> JSON {
    var contexts: [JSON] = []
    var waiting: [(context: EditingContext, parent: Int?)] = []
    let main = MainContexts.context(of: store)
    if let main { waiting.append((main, nil)) }
    for root in added.compactMap(\.context) where root !== main && root.store === store { waiting.append((root, nil)) }
    while !waiting.isEmpty {
      let (context, parent) = waiting.removeFirst()
      let number = contexts.count + 1
      contexts.append(json(of: context, number, parent))
      // Right behind their parent, as in a tree.
      waiting.insert(contentsOf: context.liveChildren.map { ($0, number) }, at: 0)
    }
    return .object(["contexts": .list(contexts), "fetches": fetches.json])
  }

  private func json(of context: EditingContext, _ number: Int, _ parent: Int?) -> JSON {
    let changes = context.changes
    let root = context as? RootContext
    return .object([
      "id": .int(number), "parent": parent.map { .int($0) } ?? .null, "name": .text(root?.name),
      "author": .text(root?.author), "isMain": .bool(root.map { MainContexts.context(of: $0.store) === $0 } ?? false),
      "position": .int(context.position.number), "draft": .text(context.draftID),
      "inserted": .int(changes.inserted.count), "updated": .int(changes.updated.count),
      "deleted": .int(changes.deleted.count), "changes": .list(edits(changes, in: context)),
      "undo": Self.names(context.undoNames, context.canUndo, context.undoName),
      "redo": Self.names(context.redoNames, context.canRedo, context.redoName),
      "observers": Self.names(of: context.observerTypes),
    ])
  }

  /// The steps, the next one first. Below the uncommitted steps, a context may undo one save of its author.
  private static func names(_ steps: [String?], _ isPossible: Bool, _ next: String?) -> JSON {
    let steps = steps.isEmpty && isPossible ? [next ?? "the last save"] : steps
    return .list(steps.map { .text($0 ?? "a change without a name") })
  }

  /// Each type once, with its number.
  private static func names(of types: [AnyObject.Type]) -> JSON {
    let counts = Dictionary(types.map { (String(describing: $0), 1) }, uniquingKeysWith: +)
    return .list(
      counts.sorted { $0.key < $1.key }.map { .object(["type": .text($0.key), "count": .int($0.value)]) })
  }

  /// The unsaved values of the first objects.
  private func edits(_ changes: ChangeSet, in context: EditingContext) -> [JSON] {
    let kinds: [([AnyObjectID], LoggedTransaction.Change.Kind)] = [
      (changes.inserted, .inserted), (changes.updated, .updated), (changes.deleted, .deleted),
    ]
    let all = kinds.flatMap { ids, kind in ids.map { ($0, kind) } }
    let form = TransactionForm(store: context.store)
    return all.prefix(Self.mostObjects).map { id, kind in
      let differences = (try? context.find(id))??.pendingChanges ?? []
      return form.change(LoggedTransaction.Change(object: id, kind: kind, properties: differences))
    }
  }
}
