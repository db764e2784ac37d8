import RepriseEventStore
import RepriseObjectModel

/// Compares two moments of a list by the ranks of the rows that changed. All other rows keep their order. So the place
/// of such a row in one moment determines its place in the other. From this follow the rows that enter or leave the
/// window of limit and offset at either end.
struct RowComparison {
  /// The rows of one moment.
  private struct Side {
    let snapshot: ListSnapshot
    let window: Range<Int>
    /// The ranks of the rows that do not stay, ascending, without limit and offset.
    let ranks: [Int]

    /// The number of staying rows before a rank.
    func staying(before rank: Int) -> Int { rank - ranks.partitionPoint { $0 >= rank } }

    /// The rank of the staying row with this many staying rows before it.
    func rank(ofStaying index: Int) -> Int {
      var low = 0
      var high = ranks.count
      while low < high {
        let middle = (low + high) / 2
        if ranks[middle] - middle <= index { low = middle + 1 } else { high = middle }
      }
      return index + low
    }

    /// The staying rows in the window, as a range of all staying rows.
    var staying: Range<Int> { staying(before: window.lowerBound)..<staying(before: window.upperBound) }

    func path(_ rank: Int) -> RowPath? { window.contains(rank) ? snapshot.path(at: rank - window.lowerBound) : nil }

    func sectionName(_ path: RowPath) -> String? { snapshot.sections[path.section].name }
  }

  private let changes: [RowChange]
  private let old: Side
  private let new: Side

  /// The rows of one moment: their number, the shown rows, and the sections of the shown rows.
  struct Rows {
    let total: Int
    let window: Range<Int>
    let snapshot: ListSnapshot
  }

  /// `nil` if the changes do not lead from one moment to the other.
  init?(_ changes: [RowChange], from old: Rows, to new: Rows) {
    let moving = changes.filter { !$0.stays }
    let removed = moving.filter { $0.oldKey != nil }.compactMap(\.oldRank).sorted()
    let inserted = moving.filter { $0.newKey != nil }.compactMap(\.newRank).sorted()
    // In a damaged index, two rows may have the same rank.
    guard old.total - removed.count == new.total - inserted.count, removed.isAscending, inserted.isAscending,
      changes.allSatisfy({ $0.oldKey == nil || $0.oldRank != nil }),
      moving.allSatisfy({ $0.newKey == nil || $0.newRank != nil })
    else { return nil }
    self.changes = changes
    self.old = Side(snapshot: old.snapshot, window: old.window, ranks: removed)
    self.new = Side(snapshot: new.snapshot, window: new.window, ranks: inserted)
  }

  /// The approximate number of rows concerned: the changed rows, and the rows that enter or leave the window.
  var count: Int { changes.count + leaving.reduce(0) { $0 + $1.count } + coming.reduce(0) { $0 + $1.count } }

  /// The earlier ranks of the staying rows that leave the window.
  var ranksLeaving: [Int] { leaving.joined().map { old.rank(ofStaying: $0) } }

  /// The later ranks of the staying rows that enter the window.
  var ranksComing: [Int] { coming.joined().map { new.rank(ofStaying: $0) } }

  private var leaving: [Range<Int>] { old.staying.without(new.staying) }
  private var coming: [Range<Int>] { new.staying.without(old.staying) }

  func listChanges(_ entity: Entity) -> ListChanges {
    var deleted = ranksLeaving.compactMap { old.path($0) }
    var inserted = ranksComing.compactMap { new.path($0) }
    var updated: [ListChanges.Update] = []
    var movable: [Arrival] = []
    for change in changes {
      let from = change.oldRank.flatMap { old.path($0) }
      let newRank = change.stays ? change.oldRank.map { new.rank(ofStaying: old.staying(before: $0)) } : change.newRank
      let to = newRank.flatMap { new.path($0) }
      if let from, let to {
        if !change.slots.isEmpty {
          let names = change.slots.map { entity.properties[$0].name }
          updated.append(ListChanges.Update(before: from, after: to, properties: names))
        }
        if !change.stays, let oldRank = change.oldRank, let newRank {
          movable.append(Arrival(from: from, to: to, staysHere: isInPlace(oldRank, newRank, from, to)))
        }
      } else if !change.stays {
        // Staying rows that enter or leave the window are in `ranksComing` and `ranksLeaving`.
        if let from { deleted.append(from) }
        if let to { inserted.append(to) }
      }
    }
    return ListChanges(
      deletedSections: Self.sections(of: old.snapshot, missingIn: new.snapshot),
      insertedSections: Self.sections(of: new.snapshot, missingIn: old.snapshot),
      deletedRows: deleted.sorted(), insertedRows: inserted.sorted(),
      movedRows: Self.moves(movable), updatedRows: updated.sorted { $0.after < $1.after })
  }

  // MARK: Moves

  /// A row that is shown in both moments, and whose sort key changed.
  private struct Arrival {
    let from: RowPath
    let to: RowPath
    /// Whether the row stays in the same section and between the same staying rows.
    let staysHere: Bool
  }

  private func isInPlace(_ oldRank: Int, _ newRank: Int, _ from: RowPath, _ to: RowPath) -> Bool {
    guard old.sectionName(from) == new.sectionName(to) else { return false }
    // Only staying rows that both moments show count as neighbours.
    let common = old.staying.clamped(to: new.staying)
    func gap(_ index: Int) -> Int { min(max(index, common.lowerBound), common.upperBound) }
    return gap(old.staying(before: oldRank)) == gap(new.staying(before: newRank))
  }

  /// The moves of all arrivals, except a longest increasing subsequence of the arrivals that can keep their place.
  private static func moves(_ arrivals: [Arrival]) -> [ListChanges.Move] {
    let candidates = arrivals.indices.filter { arrivals[$0].staysHere }.sorted { arrivals[$0].from < arrivals[$1].from }
    let kept = Set(LongestIncreasing.indices(of: ranks(of: candidates.map { arrivals[$0].to })).map { candidates[$0] })
    let moves = arrivals.indices.filter { !kept.contains($0) }.map {
      ListChanges.Move(from: arrivals[$0].from, to: arrivals[$0].to)
    }
    return moves.sorted { $0.to < $1.to }
  }

  /// The rank of each path in the order of all paths.
  private static func ranks(of paths: [RowPath]) -> [Int] {
    var ranks = [Int](repeating: 0, count: paths.count)
    for (rank, index) in paths.indices.sorted(by: { paths[$0] < paths[$1] }).enumerated() { ranks[index] = rank }
    return ranks
  }

  // MARK: Sections

  private static func sections(of snapshot: ListSnapshot, missingIn other: ListSnapshot) -> [Int] {
    if snapshot == other { return [] }
    let names = Set(other.sections.map(\.name))
    return snapshot.sections.indices.filter { !names.contains(snapshot.sections[$0].name) }
  }
}

extension [Int] {
  /// Whether each number is greater than the one before.
  fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

extension Range<Int> {
  /// The parts of this range that are outside another one: at either end, or the whole range.
  fileprivate func without(_ other: Range) -> [Range] {
    let common = clamped(to: other)
    if common.isEmpty { return isEmpty ? [] : [self] }
    return [lowerBound..<common.lowerBound, common.upperBound..<upperBound].filter { !$0.isEmpty }
  }
}
