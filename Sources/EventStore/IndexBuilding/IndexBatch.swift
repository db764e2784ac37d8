import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Rows of a range of objects that are read, sorted, and not in the index yet, and the changes to them since.
struct IndexBatch {
  /// The first object.
  let first: UniqueID
  /// The first object after the read ones. `nil` if there is none.
  private(set) var end: UniqueID? = .zero
  private(set) var isRead = false
  /// The number of objects that are read.
  private(set) var objects = 0
  /// The position that the rows show.
  var position: Position
  /// The end and the last written row of a batch that an earlier process or attempt began.
  private let planned: IndexBuildState.Batch?
  private var rows: IndexRows
  /// The rows in order, once all are read.
  private var sorted: IndexChanges
  private var place = 0
  private var removed: Set<[UInt8]> = []
  /// The rows to add, descending, so that the next one is the last element.
  private var added: [[UInt8]] = []

  init?(
    _ property: StoredProperty, of entity: StoredEntity, from first: UniqueID, planned: IndexBuildState.Batch?,
    at position: Position
  ) {
    guard let rows = IndexRows(property, of: entity) else { return nil }
    self.rows = rows
    self.first = first
    self.planned = planned
    self.position = position
    end = first
    sorted = IndexChanges(index: rows.number)
  }

  /// The key of the last row that is in the index.
  var last: [UInt8] { planned?.last ?? [] }

  func has(_ uuid: UniqueID) -> Bool { uuid >= first && end.map { uuid < $0 } ?? true }

  // MARK: Reading

  /// Reads some more objects. If the earlier rows were at the position of the view, all rows are then.
  mutating func read(
    _ entity: StoredEntity, objectLimit: Int, byteLimit: Int, _ table: ObjectTable, _ view: View
  ) throws(StorageError) {
    guard let start = end else { return }
    let limit = planned?.end
    var rest: UniqueID?
    var isFull = false
    var count = 0
    var rows = self.rows
    self.rows.removeAll()
    try table.scanRecords(entity.number, entity.name, from: start, view) { (uuid, record) throws(MalformedBytes) in
      if let limit, uuid >= limit {
        isFull = true
      } else if planned == nil, rows.byteCount >= byteLimit {
        (isFull, rest) = (true, uuid)
      } else if count == objectLimit {
        rest = uuid
      } else {
        try rows.add(record, uuid)
        count += 1
        return true
      }
      return false
    }
    objects += count
    self.rows = rows
    if rest != nil, !isFull {
      end = rest
      return
    }
    end = planned != nil ? limit : rest
    isRead = true
    sorted = rows.sorted()
    self.rows.removeAll()
    place = sorted.firstPlace(behind: last)
  }

  // MARK: Changes meanwhile

  /// - Parameter last: The key of the last row that is in the index.
  mutating func replace(_ before: [[UInt8]], by after: [[UInt8]], behind last: [UInt8]) {
    for key in before where last.precedes(key) && !after.contains(key) {
      if let place = place(ofAdded: key), added[place] == key {
        added.remove(at: place)
      } else {
        removed.insert(key)
      }
    }
    for key in after where last.precedes(key) && !before.contains(key) {
      if removed.remove(key) == nil { added.insert(key, at: place(ofAdded: key) ?? added.count) }
    }
  }

  /// The index of a key, or of the first key that is less. `nil` if there is none.
  private func place(ofAdded key: [UInt8]) -> Int? {
    let place = added.partitionPoint { !key.precedes($0) }
    return place < added.count ? place : nil
  }

  // MARK: Writing

  /// The keys of the next rows, in order.
  mutating func take(_ limit: Int) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    while keys.count < limit {
      let stored = place < sorted.count ? sorted.rowKey(place) : nil
      if let new = added.last, stored.map({ new.precedes($0) }) ?? true {
        added.removeLast()
        keys.append(new)
      } else if let stored {
        place += 1
        if removed.remove(stored) == nil { keys.append(stored) }
      } else {
        break
      }
    }
    return keys
  }

  var isEmpty: Bool { place == sorted.count && added.isEmpty }

  /// The written share of the batch, from 0 to 1.
  var share: Double { sorted.count == 0 ? 1 : Double(place) / Double(sorted.count) }
}

extension IndexRows {
  /// The rows in the order of the index.
  fileprivate func sorted() -> IndexChanges {
    var rows = changes
    _ = rows.sort()
    return rows
  }
}

extension IndexChanges {
  /// The first row, of sorted ones, whose key is greater.
  fileprivate func firstPlace(behind key: [UInt8]) -> Int {
    if key.isEmpty { return 0 }
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if key.precedes(rowKey(middle)) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
