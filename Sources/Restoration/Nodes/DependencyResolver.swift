import RepriseEventStore
import RepriseObjectGraph

/// Finds what factories need: registered objects, what stands above a node, and its own context. Everyone who asks gets
/// the same instance.
@MainActor final class DependencyResolver {
  /// How many draft IDs are tried for a node before it is refused.
  private static let attempts = 1_000

  let objects: ObjectRegistry
  private let tree: NodeTree
  private let drafts: NodeDrafts

  init(_ objects: ObjectRegistry, _ tree: NodeTree, _ drafts: NodeDrafts) {
    self.objects = objects
    self.tree = tree
    self.drafts = drafts
  }

  func ownContext<Context>(
    of entry: NodeEntry?, _ parent: ContextParent.Form, as type: Context.Type
  ) throws(Unmet) -> Context {
    guard let entry else { throw .failed("only a node has a context of its own") }
    if entry.ownContext == nil { try makeOwnContext(of: entry, parent) }
    guard let context = entry.ownContext as? Context else {
      throw .failed("its own context is not a \(Context.self)")
    }
    return context
  }

  /// - Parameter root: The key of the context that it is, if no node above has one.
  func ancestorContext<Context>(
    of entry: NodeEntry?, orRegistered root: String?, as type: Context.Type
  ) throws(Unmet) -> Context {
    if let context = contextAbove(entry)?.context as? Context { return context }
    guard let root else { throw .failed("no node above it has a context of its own") }
    return try objects.resolve(root).value(as: Context.self, of: root)
  }

  func ancestor<Screen>(of entry: NodeEntry?, kind: String) throws(Unmet) -> Screen {
    let found = entry.flatMap { tree.ancestors(of: $0).first { $0.kind == kind } }
    guard let screen = found?.screen as? Screen else { throw .failed("no node above it is of the kind '\(kind)'") }
    return screen
  }

  private func contextAbove(_ entry: NodeEntry?) -> (context: any OwnContext, path: NodePath)? {
    guard let entry else { return nil }
    for above in tree.ancestors(of: entry) { if let context = above.ownContext { return (context, above.path) } }
    return nil
  }

  private func makeOwnContext(of entry: NodeEntry, _ parent: ContextParent.Form) throws(Unmet) {
    let (host, recorded) = try host(of: entry, parent)
    do throws(DraftError) {
      let (context, draft) = try takenContext(of: entry, under: host)
      let taken = ArchiveRecord.OwnContext(draft: draft, parent: recorded)
      if let archived = entry.context, archived != taken { entry.isMoved = true }
      entry.context = taken
      entry.ownContext = context
      context.owner = entry
      // Only where the context above has nothing any more: looking for conflicts costs the edits.
      let above = host as? any OwnContext
      if entry.isStored, case .node = recorded, context.hasChanges, above?.hasChanges == false {
        entry.isInConflict = context.isInConflict
      }
    } catch {
      throw .draft(error)
    }
  }

  private func host(
    of entry: NodeEntry, _ parent: ContextParent.Form
  ) throws(Unmet) -> (any ContextHost, ArchiveRecord.OwnContext.Parent) {
    let registered: String?
    switch parent {
    case .registered(let choice):
      registered = choice.id(for: entry.chooser, at: entry.path)
      guard registered != nil else { throw .failed("its state chooses no context") }
    case .nearestAncestorNode(let root):
      // Edits come back upon what they were made upon, wherever the node was moved.
      let wasRegistered = if root != nil, case .registered? = entry.context?.parent { true } else { false }
      if !wasRegistered, let above = contextAbove(entry) { return (above.context, .node(above.path.text)) }
      registered = root
    }
    guard let key = registered else { throw .failed("no node above it has a context of its own") }
    guard let found = try objects.resolve(key).host else {
      throw .object(key, .failed("'\(key)' is no editing context"))
    }
    return (found, .registered(key))
  }

  /// The context of the draft that the node has already, or that it is opened for; else a fresh one.
  private func takenContext(
    of entry: NodeEntry, under host: any ContextHost
  ) throws(DraftError) -> (any OwnContext, String) {
    if let draft = entry.context?.draft {
      if let context = try context(draft: draft, under: host, for: entry) { return (context, draft) }
      tree.damage.append("The draft '\(draft)' of '\(entry.path)' is another live node's; this one has a new one.")
    }
    switch entry.wish {
    case .new: break
    case .named(let draft):
      guard let context = try context(draft: draft, under: host, for: entry) else { throw .inUse(draft) }
      return (context, draft)
    case .left:
      let draft = entry.displaced?.context?.draft ?? drafts.draftLeft(at: entry.path)
      if draft == NodeDrafts.ofMainContext { break }
      do throws(DraftError) {
        if let context = try context(draft: draft, under: host, for: entry) { return (context, draft) }
      } catch {
        // Another process has it, so it was not left.
        guard case .inUse = error else { throw error }
      }
    }
    return try freshContext(of: entry, under: host)
  }

  /// The context of a draft; `nil` if it is another node's own.
  private func context(
    draft: String, under host: any ContextHost, for entry: NodeEntry
  ) throws(DraftError) -> (any OwnContext)? {
    if let owner = host.liveOwnContext(draft: draft)?.owner, owner !== entry, owner !== entry.displaced { return nil }
    return try host.makeOwnContext(draft: draft)
  }

  /// A context that nobody else has, without edits. Edits left in the draft of its path are not mixed into it: they
  /// stay where they are, and this one gets another ID.
  private func freshContext(
    of entry: NodeEntry, under host: any ContextHost
  ) throws(DraftError) -> (any OwnContext, String) {
    let first = drafts.draft(at: entry.path.text)
    for attempt in (first == NodeDrafts.ofMainContext ? 2 : 1)...Self.attempts {
      let draft = attempt == 1 ? first : "\(first)#\(attempt)"
      if host.liveOwnContext(draft: draft) != nil { continue }
      do throws(DraftError) {
        let context = try host.makeOwnContext(draft: draft)
        if !context.hasChanges { return (context, draft) }
      } catch {
        switch error {
        case .invalidID, .parentWithoutDraft, .store: throw error
        default: break
        }
      }
    }
    throw .inUse(first)
  }
}
