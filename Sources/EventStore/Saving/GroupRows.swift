import RepriseLog
import RepriseObjectModel

/// The rows of unique indexes that the earlier saves of a group commit made and removed. They are not in the tables
/// yet, because counted indexes are written once for the group.
struct GroupRows {
  /// By index and row key without the UUID: for each object, whether it got the row or lost it.
  private var changes: [UInt32: [ArraySlice<UInt8>: [UniqueID: Bool]]] = [:]
  /// The number of changes of each index that are included.
  private var seen: [UInt32: Int] = [:]

  var isEmpty: Bool { changes.isEmpty }

  /// Adds the changes of the last saves.
  mutating func follow(_ countedChanges: [IndexChanges], _ indexes: some Sequence<UniqueIndex>) {
    for index in indexes {
      guard let all = countedChanges.first(where: { $0.index == index.number }) else { continue }
      for place in seen[index.number, default: 0]..<all.count {
        let key = all.rowKey(place)
        guard let uuid = RowKey.uuid(key) else { continue }
        changes[index.number, default: [:]][key.dropLast(16), default: [:]][uuid] = all.changes[place].isInsert
      }
      seen[index.number] = all.count
    }
  }

  func objects(with row: [UInt8], _ index: UInt32, stored: [UniqueID]) -> [UniqueID] {
    guard let changed = changes[index]?[row[...]] else { return stored }
    return stored.filter { changed[$0] == nil } + changed.filter(\.value).keys.sorted()
  }
}
