import RepriseEventStore
import RepriseObjectModel

/// The result of a save.
public struct SaveResult: Sendable {
  /// The position of the transaction that the save wrote; pass it to ``TransactionLog/transaction(at:)`` for details.
  ///
  /// If the save contained reversals of saved steps, this is the last of several transactions. If ``isEmpty`` is true,
  /// this is the context's position, whose transaction belongs to an earlier save.
  public let position: Position
  private let transactions: [VersionWindow.Transaction]
  private let store: Store

  init(_ appended: AppendedSave, in store: Store) {
    position = appended.position
    transactions = appended.transactions
    self.store = store
  }

  /// The result of a save without changes.
  init(nothingAt position: Position, in store: Store) {
    self.position = position
    transactions = []
    self.store = store
  }

  /// Whether the save wrote nothing, because there were no changes, or another save had already made the same changes.
  public var isEmpty: Bool { transactions.isEmpty }

  /// The objects that the save inserted, updated and deleted, after merging and including the effects of delete rules.
  ///
  /// Computed on each access, in time proportional to the number of objects.
  public var changes: ChangeSet {
    var net: [AnyObjectID: ObjectChange] = [:]
    for transaction in transactions {
      for (id, change) in transaction.changes(store.map) {
        if let earlier = net[id] { net[id] = earlier.listed(with: change) } else { net[id] = change }
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

extension SaveResult: Equatable {
  /// Returns whether both values are results of the same save, or both empty at the same position.
  public static func == (left: SaveResult, right: SaveResult) -> Bool {
    left.position == right.position && left.isEmpty == right.isEmpty
  }
}

extension ObjectChange {
  /// How a ``ChangeSet`` lists an object that both transactions changed. `nil` if it is not listed.
  ///
  /// A change of a part of a text has no values here, and ``followed(by:)`` would drop it. So the result has the right
  /// kind, and lists all properties that one of the two updates changed, but its values are not net values.
  fileprivate func listed(with next: ObjectChange) -> ObjectChange? {
    guard kind.canPrecede(next.kind) else { return next }
    switch kind.followed(by: next.kind) {
    case nil: return nil
    case .inserted: return self
    case .deleted: return next
    case .updated:
      guard case (.updated(let first), .updated(let second)) = (self, next) else { return .updated([]) }
      return .updated(first + second)
    }
  }
}
