// Moves that start at the current entry. Each page of a snapshot has the number of its entries, so the entries between
// two keys are counted without a step for each.
extension Cursor {
  /// Moves to the first entry, from the current one on, whose key is not less than `key`. `nil` if there is none. Adds
  /// the number of skipped entries. In a snapshot, O(log n) for each page. Otherwise, a step for each entry.
  @_lifetime(copy self)
  package mutating func advance(to key: RawSpan, counting passed: inout Int) throws(StorageError) -> Entry? {
    if cursor == nil {
      return entry(
        try key.withUnsafeBytes { (key) throws(StorageError) in try mapped?.advance(to: key, counting: &passed) })
    }
    var count = 0
    defer { passed += count }
    return try step { entry in
      let isPassed = key.isAfter(entry.key)
      if isPassed { count += 1 }
      return isPassed
    }
  }

  /// Like `advance(to:counting:)`, but calls `body` with the value of each skipped entry.
  @_lifetime(copy self)
  package mutating func advance(
    to key: RawSpan, passing body: (RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) -> Entry? {
    if cursor == nil {
      return entry(
        try key.withUnsafeBytes { (key) throws(StorageError) in
          try mapped?.advance(to: key) { (value) throws(StorageError) in
            try body(RawSpan(_unsafeBytes: value))
          }
        })
    }
    return try step { (entry) throws(StorageError) in
      guard key.isAfter(entry.key) else { return false }
      try body(entry.value)
      return true
    }
  }

  /// Moves on by so many entries; nil if there are fewer.
  @_lifetime(copy self)
  package mutating func advance(by count: Int) throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.advance(by: count)) }
    var left = count
    return try step { _ in
      left -= 1
      return left >= 0
    }
  }

  /// Moves to the first entry, from the current one on, whose value makes `body` return false. `nil` if there is none.
  @_lifetime(copy self)
  package mutating func advance(
    whileValue body: (RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) -> Entry? {
    if cursor == nil {
      return entry(
        try mapped?.advance(while: { (value) throws(StorageError) in try body(RawSpan(_unsafeBytes: value)) }))
    }
    return try step { (entry) throws(StorageError) in try body(entry.value) }
  }

  /// Moves over the entries from the current one on, while their keys begin with a prefix and `body` returns true. The
  /// entries must not change meanwhile.
  package mutating func advance(
    beginningWith prefix: RawSpan, passing body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    if cursor == nil {
      try prefix.withUnsafeBytes { (prefix) throws(StorageError) in
        try mapped?.advance(beginningWith: prefix) { (key, value) throws(StorageError) in
          try body(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: value))
        }
      }
      return
    }
    _ = try step { (entry) throws(StorageError) in
      guard entry.key.begins(with: prefix) else { return false }
      return try body(entry.key, entry.value)
    }
  }

  @_lifetime(copy self)
  private mutating func step(
    while isPassed: (borrowing Entry) throws(StorageError) -> Bool
  ) throws(StorageError) -> Entry? {
    var next = try current()
    while let entry = next {
      if try !isPassed(entry) { return entry }
      next = try self.next()
    }
    return nil
  }
}

extension RawSpan {
  fileprivate func isAfter(_ other: RawSpan) -> Bool {
    withUnsafeBytes { bytes in other.withUnsafeBytes { SearchedKey(bytes).isAfter($0) } }
  }

  fileprivate func begins(with prefix: RawSpan) -> Bool {
    byteCount >= prefix.byteCount
      && withUnsafeBytes { bytes in prefix.withUnsafeBytes { bytes.prefix($0.count).elementsEqual($0) } }
  }
}
