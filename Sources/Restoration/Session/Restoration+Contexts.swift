import RepriseEventStore
import RepriseObjectGraph

/// The contexts of nodes: one instance for each, whoever asks.
extension Restoration {
  /// Drafts that are tried for a node that is opened, before it is refused.
  private static let attempts = 1_000

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

  func ancestorContext<Context>(of entry: NodeEntry?, as type: Context.Type) throws(Unmet) -> Context {
    guard let context = contextAbove(entry)?.context as? Context else {
      throw .failed("no node above it has a context of its own")
    }
    return context
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
    let host: any ContextHost
    let recorded: ArchiveRecord.OwnContext.Parent
    switch parent {
    case .registered(let key):
      guard let found = try resolve(key).host else { throw .failed("'\(key)' is no editing context") }
      (host, recorded) = (found, .registered(key))
    case .nearestAncestorNode:
      guard let above = contextAbove(entry) else { throw .failed("no node above it has a context of its own") }
      (host, recorded) = (above.context, .node(above.path.text))
    }
    do throws(DraftError) {
      if let archived = entry.context {
        entry.ownContext = try host.makeOwnContext(draft: archived.draft)
        entry.isMoved = entry.isMoved || archived.parent != recorded
        entry.context = .init(draft: archived.draft, parent: recorded)
      } else {
        let (context, draft) = try freshContext(of: entry, under: host)
        entry.ownContext = context
        entry.context = .init(draft: draft, parent: recorded)
      }
    } catch {
      throw .draft(error)
    }
  }

  /// A context for a node that is opened now. Edits that another node of the same path left behind are not mixed into
  /// it: their draft stays as it is, and this one gets another ID.
  private func freshContext(
    of entry: NodeEntry, under host: any ContextHost
  ) throws(DraftError) -> (any OwnContext, String) {
    var draft = entry.path.text
    for attempt in 2...Self.attempts {
      do throws(DraftError) {
        let context = try host.makeOwnContext(draft: draft)
        if entry.resumesDraft || !context.hasChanges { return (context, draft) }
      } catch {
        switch error {
        case .inUse, .otherParent, .present, .unreadable: break
        default: throw error
        }
      }
      draft = "\(entry.path.text)#\(attempt)"
    }
    throw .inUse(draft)
  }
}
