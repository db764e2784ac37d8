import RepriseLMDB
import RepriseObjectModel

/// The objects with a row in a range of a search index, ascending: a sorted stream that supports skipping.
///
/// Rows of one word are read in batches. A step costs a fraction of a seek, and the streams can share a cursor. Rows of
/// a prefix are in the order of its words, so they are read completely and sorted.
package struct WordRows {
  private let index: CountedIndex
  /// The prefix of the keys in the table, up to the UUID. Empty for a prefix of words.
  private let start: [UInt8]
  private var uuids: [UniqueID]
  private var next = 0
  private var hasMore: Bool
  private var batch = Self.leastBatch
  /// How often the batch had the requested object.
  private var answers = 0

  private static let leastBatch = 16
  private static let greatestBatch = 128

  package init(_ range: WordRange, of index: CountedIndex, in view: View) throws(StorageError) {
    self.index = index
    guard range.isPrefix else {
      start = index.key(0, range.keys.lower)
      uuids = []
      hasMore = true
      return
    }
    start = []
    hasMore = false
    var found: [UniqueID] = []
    let keys = range.keys
    try index.forEach(at: keys.lower.span.bytes, in: view) { (rowKey) throws(StorageError) in
      if let upper = keys.upper, compareBytes(upper, rowKey) <= 0 { return false }
      guard let uuid = RowKey.uuid(rowKey) else { throw index.damaged("a row key has \(rowKey.byteCount) bytes") }
      found.append(uuid)
      return true
    }
    found.sort()
    uuids = []
    uuids.reserveCapacity(found.count)
    for uuid in found where uuid != uuids.last { uuids.append(uuid) }
  }

  /// Returns the first object at or after `wanted` in the order of UUIDs, or `nil` if there is none. Later calls do not
  /// return skipped objects.
  package mutating func first(from wanted: UniqueID, _ cursor: inout Cursor) throws(StorageError) -> UniqueID? {
    while true {
      skip(to: wanted)
      if next < uuids.count {
        answers += 1
        return uuids[next]
      }
      guard hasMore else { return nil }
      try read(from: wanted, &cursor)
    }
  }

  /// A galloping search: in growing steps, because the object is mostly near, then a binary search between the last
  /// two.
  private mutating func skip(to wanted: UniqueID) {
    var end = next
    var step = 1
    while end < uuids.count, uuids[end] < wanted {
      next = end + 1
      end += step
      step *= 2
    }
    end = min(end, uuids.count)
    while next < end {
      let middle = (next + end) / 2
      if uuids[middle] < wanted { next = middle + 1 } else { end = middle }
    }
  }

  private mutating func read(from wanted: UniqueID, _ cursor: inout Cursor) throws(StorageError) {
    // A seek costs as much as several steps. If a caller skips nearly all of the stream, seeking is faster.
    batch = answers * 16 >= uuids.count ? min(batch * 2, Self.greatestBatch) : max(batch / 2, Self.leastBatch)
    uuids.removeAll(keepingCapacity: true)
    (next, answers) = (0, 0)
    let (start, batch) = (start, batch)
    var key = start
    RowKey.append(wanted, to: &key)
    hasMore = false
    if try cursor.seek(key.span.bytes) == nil { return }
    try cursor.advance(beginningWith: start.span.bytes) { (key, _) throws(StorageError) in
      guard key.byteCount == start.count + 16 else {
        throw index.damaged("a row key has \(key.byteCount - CountedIndex.prefixLength) bytes")
      }
      let high = key.unsafeLoadUnaligned(fromByteOffset: start.count, as: UInt64.self)
      let low = key.unsafeLoadUnaligned(fromByteOffset: start.count + 8, as: UInt64.self)
      uuids.append(UniqueID(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)))
      hasMore = uuids.count == batch
      return !hasMore
    }
  }
}
