import RepriseEventStore
import RepriseObjectModel

/// What a save came to.
public struct Saved: Sendable {
  /// The position of the transaction that was written, of which ``Store/transaction(at:)`` tells more; of the last one,
  /// if undone saves were among the changes. If ``isEmpty``, that of the context: the transaction there is somebody
  /// else's.
  public let position: Position
  private let transactions: [VersionWindow.Transaction]
  private let store: Store

  init(_ appended: AppendedSave, in store: Store) {
    position = appended.position
    transactions = appended.transactions
    self.store = store
  }

  /// Of a context without changes.
  init(nothingAt position: Position, in store: Store) {
    self.position = position
    transactions = []
    self.store = store
  }

  /// Whether nothing was written, as there was nothing to save, or others had saved the same.
  public var isEmpty: Bool { transactions.isEmpty }

  /// The objects that it inserted, updated and deleted: after merging with what others saved, and with the consequences
  /// of deletions. Put together when it is asked for, at the cost of the number of objects.
  public var changes: ChangeSet {
    var net: [AnyObjectID: ObjectChange] = [:]
    for transaction in transactions {
      for (id, change) in transaction.changes {
        guard case .saved(let change) = change else { continue }
        if let earlier = net[id] { net[id] = earlier.followed(by: change) } else { net[id] = change }
      }
    }
    let store = store
    var context: RootContext?
    return ChangeSet(net.lazy.map { ($0.key, $0.value) }, links: store.map.links) { link, changes in
      let reader = context ?? RootContext(store, isolation: nil)
      context = reader
      return reader.owners(of: link, changes)
    }
  }
}

extension Saved: Equatable {
  /// Whether both are of one save, or of nothing at one position.
  public static func == (left: Saved, right: Saved) -> Bool {
    left.position == right.position && left.isEmpty == right.isEmpty
  }
}

extension ObjectChange {
  /// What both come to, as far as a ``ChangeSet`` is concerned; `nil` if nothing.
  fileprivate func followed(by next: ObjectChange) -> ObjectChange? {
    switch (self, next) {
    case (.inserted, .updated): self
    case (.inserted, .deleted): nil
    case (.deleted, .inserted): .updated([])
    case (.updated(let first), .updated(let second)): .updated(first + second)
    default: next
    }
  }
}
