import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The sort keys of all objects that match a fetch, in order. Each ends with the object's UUID.
package struct SortedKeys {
  /// One after another, in the order of the scan.
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private let fetch: CompiledFetch

  private struct Entry {
    let start: Int
    let length: Int
    /// The first eight bytes behind those that all keys begin with: most comparisons need no others.
    var lead: UInt64 = 0
  }

  fileprivate init(_ fetch: CompiledFetch) { self.fetch = fetch }

  package var count: Int { entries.count }

  package func key(at index: Int) -> [UInt8] {
    let entry = entries[index]
    return Array(bytes[entry.start..<entry.start + entry.length])
  }

  package func uuid(at index: Int) -> UniqueID {
    let entry = entries[index]
    return bytes.withUnsafeBytes { fetch.uuid(ofSortKey: $0[entry.start..<entry.start + entry.length]) }
  }

  fileprivate mutating func append(_ key: [UInt8]) {
    entries.append(Entry(start: bytes.count, length: key.count))
    bytes.append(contentsOf: key)
  }

  fileprivate mutating func sort() {
    bytes.withUnsafeBytes { bytes in
      func key(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + entry.length])
      }
      guard let first = entries.first.map(key) else { return }
      var shared = first.count
      for entry in entries {
        let key = key(entry)
        var index = 0
        while index < shared, index < key.count, key[index] == first[index] { index += 1 }
        shared = index
      }
      for index in entries.indices {
        let rest = key(entries[index])[shared...]
        var lead: UInt64 = 0
        for offset in 0..<8 { lead = lead << 8 | (offset < rest.count ? UInt64(rest[rest.startIndex + offset]) : 0) }
        entries[index].lead = lead
      }
      entries.sort { left, right in
        if left.lead != right.lead { return left.lead < right.lead }
        return compareBytes(key(left), key(right)) < 0
      }
    }
  }
}

extension Projection {
  /// The sort keys of all objects that match a fetch, limit and offset aside. Reads every object that may match, and
  /// decodes of it what condition and order read.
  package func sortedKeys(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> SortedKeys {
    var keys = SortedKeys(fetch)
    try forEachMatch(fetch.unordered(limit: nil), map, reading: fetch.slotsOfOrder) { id, values in
      keys.append(fetch.sortKey(of: values, id: id, source: self))
    }
    keys.sort()
    return keys
  }
}
