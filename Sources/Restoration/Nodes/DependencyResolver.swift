import RepriseEventStore
import RepriseObjectGraph

/// Finds the objects that factories need: registered objects, nodes above, and own contexts. All requests get the same
/// instance.
final class DependencyResolver {
  /// The number of draft IDs to try for a node before it throws.
  private static let attempts = 1_000

  let objects: ObjectRegistry
  private let tree: NodeTree
  private let kinds: KindRegistry
  private let drafts: NodeDrafts

  init(_ objects: ObjectRegistry, _ tree: NodeTree, _ kinds: KindRegistry, _ drafts: NodeDrafts) {
    self.objects = objects
    self.tree = tree
    self.kinds = kinds
    self.drafts = drafts
  }

  func ownContext<Context>(
    of entry: NodeEntry?, _ parent: ContextParent.Form, as type: Context.Type
  ) throws(Unmet) -> Context {
    guard let entry else { throw .failed(Unmet.nodesOnly) }
    if entry.ownContext == nil { try makeOwnContext(of: entry, parent) }
    guard let context = entry.ownContext as? Context else {
      throw .failed("its own context is not of the type \(Context.self)")
    }
    return context
  }

  /// - Parameter root: The key of the registered context to use if no node above has a context.
  func ancestorContext<Context>(
    of entry: NodeEntry?, orRegistered root: String?, as type: Context.Type
  ) throws(Unmet) -> Context {
    if let context = try contextAbove(entry, as: type)?.context { return context }
    guard let root else { throw .failed("no screen above it has a context") }
    return try objects.resolve(root).value(as: Context.self, of: root)
  }

  func ancestor<Screen>(of entry: NodeEntry?, kind: String) throws(Unmet) -> Screen {
    let found = entry.flatMap { tree.ancestors(of: $0).first { $0.kind == kind } }
    guard let screen = found?.screen as? Screen else { throw .failed("no screen above it is of the kind '\(kind)'") }
    return screen
  }

  /// The context of the nearest node above that has one of a type: its own, or one that it needs.
  private func contextAbove<Context>(
    _ entry: NodeEntry?, as type: Context.Type
  ) throws(Unmet) -> (context: Context, parent: ArchiveRecord.OwnContext.Parent)? {
    guard let entry else { return nil }
    for above in tree.ancestors(of: entry) {
      if let context = above.ownContext as? Context { return (context, .node(above.path.text)) }
      for key in registeredKeys(of: above) {
        do throws(Unmet) {
          if let context = try objects.resolve(key).host as? Context { return (context, .registered(key)) }
        } catch {
          // If the context is missing, another one must not silently replace it.
          if objects.entries[key]?.isContext == true { throw error }
        }
      }
    }
    return nil
  }

  /// The keys of the registered objects that a node needs, without the parent of its own context.
  private func registeredKeys(of entry: NodeEntry) -> [String] {
    guard let needs = kinds[entry.kind]?.needs else { return [] }
    var found: [String] = []
    for case .registered(let key) in needs {
      switch key {
      case .same(let id): found.append(id)
      case .own(let key) where entry.isBeingMade:
        if let id = key.id(for: entry.chooser, at: entry.path) { found.append(id) }
      // The keys from when the node was made, because its state or path may choose another key now.
      case .own: found += keysChosen(by: entry, of: needs)
      }
    }
    return found
  }

  /// The keys that a node chose among its needs when it was made.
  private func keysChosen(by entry: NodeEntry, of needs: [Need]) -> [String] {
    let given = needs.filter { $0.nodeKey == nil }.references
    return (entry.needsOfKind.isEmpty ? entry.needs : entry.needsOfKind).filter { !given.contains($0) }
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
      // Only if the context above has no edits, because looking for conflicts takes time in proportion to the edits.
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
      guard registered != nil else {
        throw .failed("the closure that chooses the parent of its context threw an error")
      }
    case .nearestAncestorNode(let root):
      // The parent of a context stays the one that its edits are based on, wherever the node moves. If the parent's key
      // no longer has a source, it is the root.
      if case .registered(let key)? = entry.context?.parent, objects.entries[key]?.hasSource == true || root != nil {
        registered = objects.entries[key]?.hasSource == true ? key : root
      } else if let above = try contextAbove(entry, as: (any ContextHost).self) {
        return above
      } else {
        registered = root
      }
    }
    guard let key = registered else { throw .failed("no screen above it has a context") }
    guard let found = try objects.resolve(key).host else {
      throw .object(key, .failed("the object that is registered as '\(key)' is not an editing context"))
    }
    return (found, .registered(key))
  }

  /// The context of the draft that the node has already, or that it is opened for. Otherwise a fresh one.
  private func takenContext(
    of entry: NodeEntry, under host: any ContextHost
  ) throws(DraftError) -> (any OwnContext, String) {
    if let draft = entry.context?.draft {
      if let context = try context(draft: draft, under: host, for: entry) { return (context, draft) }
      tree.damage.append(
        "The draft '\(draft)' of the screen '\(entry.path)' is in use by another open screen, so this screen has a new "
          + "draft.")
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
        // If another process uses the draft, no closed node left it.
        guard case .inUse = error else { throw error }
      }
    }
    return try freshContext(of: entry, under: host)
  }

  /// The context of a draft. `nil` if it is another node's own.
  private func context(
    draft: String, under host: any ContextHost, for entry: NodeEntry
  ) throws(DraftError) -> (any OwnContext)? {
    if let owner = host.liveOwnContext(draft: draft)?.owner, owner !== entry, owner !== entry.displaced,
      !((owner as? NodeEntry).map { tree.isAmong(objects.closing, $0) } ?? false)
    {
      return nil
    }
    return try host.makeOwnContext(draft: draft)
  }

  /// A new context without edits. If the draft of its path still has edits, that draft stays unchanged, and the context
  /// gets another ID.
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
