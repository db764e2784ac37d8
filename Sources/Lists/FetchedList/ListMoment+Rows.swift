import RepriseEventStore
import RepriseObjectGraph

extension ListMoment {
  enum Rows {
    /// No rows in memory: the rows are one range of a counted index.
    case counted(CountedRows)
    case stored(StoredRows)
    /// Rows in sections that are made from another value than the first sort key.
    case grouped(SectionedRows)
  }
}

extension ListMoment.Rows {
  /// The number of rows that the list shows.
  var count: Int {
    switch self {
    case .counted(let rows): rows.window.count
    case .stored(let rows): rows.window.count
    case .grouped(let rows): rows.snapshot.count
    }
  }

  /// The shown rows, as a range of all rows in the order of the fetch.
  var window: Range<Int> {
    switch self {
    case .counted(let rows): rows.window
    case .stored(let rows): rows.window
    case .grouped(let rows): 0..<rows.snapshot.count
    }
  }

  /// How the fetch found the rows. `nil` if an index has them.
  var finding: FetchFinding? {
    switch self {
    case .counted: nil
    case .stored(let rows): rows.finding
    case .grouped(let rows): rows.finding
    }
  }

  /// The approximate memory.
  var memoryInBytes: Int {
    switch self {
    case .counted: 0
    case .stored(let rows): rows.tree.memoryInBytes
    case .grouped(let rows): rows.memoryInBytes
    }
  }

  func compared(in snapshot: ListSnapshot) -> RowComparison.Rows {
    let total =
      switch self {
      case .counted(let rows): rows.total
      case .stored(let rows): rows.tree.count
      case .grouped(let rows): rows.snapshot.count
      }
    return RowComparison.Rows(total: total, window: window, snapshot: snapshot)
  }
}

/// Keeps a position readable.
final class PositionPin {
  private let store: Store
  private let position: Position

  init(_ projection: Projection) {
    store = projection.store
    position = store.pin(at: projection.position)
  }

  deinit { store.unpin(position) }
}
