import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The sort keys of all objects that match a fetch, in order. Each ends with the object's UUID.
package struct SortedKeys {
  /// The sort keys one after another, in the order of the scan.
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private let fetch: CompiledFetch
  /// How the objects were found.
  package fileprivate(set) var finding: FetchFinding?
  /// The names of the sections in the order of the scan, if the fetch groups its rows into sections.
  private var names: [String] = []
  private var numbers: [String: Int] = [:]

  private struct Entry {
    let start: Int
    private let shortLength: UInt32
    /// The number of the row's section, if the fetch groups its rows into sections.
    private let shortSection: UInt32
    /// The first eight bytes after the prefix that all keys share. Most comparisons need only these.
    var lead: UInt64 = 0

    var length: Int { Int(shortLength) }
    var section: Int { Int(shortSection) }

    init(start: Int, length: Int, section: Int) {
      self.start = start
      shortLength = UInt32(length)
      shortSection = UInt32(section)
    }
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

  /// The section of a row. Empty if sections are not grouped.
  package func sectionName(at index: Int) -> String { names.isEmpty ? "" : names[entries[index].section] }

  private mutating func number(of name: String) -> Int {
    if let number = numbers[name] { return number }
    numbers[name] = names.count
    names.append(name)
    return names.count - 1
  }

  fileprivate mutating func append(_ key: [UInt8], sectionName: String?) {
    let section = sectionName.map { number(of: $0) } ?? 0
    entries.append(Entry(start: bytes.count, length: key.count, section: section))
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
  /// The sort keys of all objects that match a fetch, without limit and offset. Reads every possible match, and decodes
  /// the properties that condition and order need.
  package func sortedKeys(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> SortedKeys {
    var keys = SortedKeys(fetch)
    let relatedObjects = RelatedObjectCache(self)
    var finding = try forEachMatch(fetch.unordered(limit: nil), map, reading: fetch.slotsOfOrder) { id, values in
      let name = fetch.isGrouped ? fetch.sectionName(of: values, id: id, source: relatedObjects) : nil
      keys.append(fetch.sortKey(of: values, id: id, source: relatedObjects), sectionName: name)
    }
    keys.sort()
    finding.rowsInMemory = keys.count
    keys.finding = finding
    return keys
  }
}
