import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Changes to the entries of a level, by row key. Each has the difference for the counts of the nodes above.
  struct NodeChanges {
    struct Change {
      /// The range of the entry's row key in ``lowers``.
      let lower: Range<Int>
      var rows: Int
      var children: Int
    }

    private(set) var lowers: [UInt8] = []
    private(set) var changes: [Change] = []

    init() {}

    /// The changes of level 0, sorted as the rows are.
    init(_ rows: consuming IndexChanges) {
      changes = rows.changes.map { change in
        let sign = change.isInsert ? 1 : -1
        return Change(lower: change.rowKey, rows: sign, children: sign)
      }
      lowers = rows.keys
    }

    var isEmpty: Bool { changes.isEmpty }

    mutating func append(_ lower: [UInt8], rows: Int, children: Int) {
      let start = lowers.count
      lowers += lower
      changes.append(Change(lower: start..<lowers.count, rows: rows, children: children))
    }

    /// Sorts the changes, merges changes of the same entry, and removes changes that cancel out.
    mutating func combine() {
      let lowers = self.lowers
      changes = lowers.withUnsafeBytes { lowers in
        func lower(_ change: Change) -> UnsafeRawBufferPointer { .init(rebasing: lowers[change.lower]) }
        var result: [Change] = []
        for change in changes.sorted(by: { compareBytes(lower($0), lower($1)) < 0 }) {
          if let last = result.last, compareBytes(lower(last), lower(change)) == 0 {
            result[result.count - 1].rows += change.rows
            result[result.count - 1].children += change.children
          } else {
            result.append(change)
          }
        }
        result.removeAll { $0.rows == 0 && $0.children == 0 }
        return result
      }
    }
  }
}
