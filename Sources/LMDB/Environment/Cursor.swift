import CRepriseLMDB

/// A position in a table. Entries come in the byte order of their keys.
@frozen @usableFromInline package struct Cursor: ~Copyable, ~Escapable {
  /// LMDB's cursor. `nil` in a snapshot that is read without LMDB.
  @usableFromInline let cursor: OpaquePointer?
  var mapped: MappedCursor?

  @_lifetime(immortal)
  init(unsafe cursor: OpaquePointer) {
    self.cursor = cursor
    mapped = nil
  }

  @_lifetime(immortal)
  init(_ mapped: MappedCursor) {
    cursor = nil
    self.mapped = mapped
  }

  @inlinable deinit {
    if let cursor { mdb_cursor_close(cursor) }
  }

  /// The first entry, or nil in an empty table.
  @_lifetime(copy self)
  package mutating func first() throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.first()) }
    return try move(MDB_FIRST)
  }

  /// The last entry, or nil in an empty table.
  @_lifetime(copy self)
  package mutating func last() throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.last()) }
    return try move(MDB_LAST)
  }

  /// The entry after the current one. The first one of a new cursor; nil at the end.
  @_lifetime(copy self)
  package mutating func next() throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.next()) }
    return try move(MDB_NEXT)
  }

  /// The entry before the current one. The last one of a new cursor; nil at the start.
  @_lifetime(copy self)
  package mutating func previous() throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.previous()) }
    return try move(MDB_PREV)
  }

  /// The entry that the cursor is on, or nil if it is on none.
  @_lifetime(copy self)
  package mutating func current() throws(StorageError) -> Entry? {
    if cursor == nil { return entry(try mapped?.current()) }
    return try move(MDB_GET_CURRENT)
  }

  /// The first entry whose key is not less than `key`, or nil. An empty key means the first entry.
  @_lifetime(copy self)
  package mutating func seek(_ key: RawSpan) throws(StorageError) -> Entry? {
    if key.byteCount == 0 { return try first() }
    guard let cursor else {
      return entry(try key.withUnsafeBytes { (key) throws(StorageError) in try mapped?.seek(key) })
    }
    var value = MDB_val()
    var found = MDB_val()
    let code = key.withUnsafeBytes { bytes in
      found = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_cursor_get(cursor, &found, &value, MDB_SET_RANGE)
    }
    if code == MDB_NOTFOUND { return nil }
    if code != MDB_SUCCESS { throw StorageError(code: code, .moveCursor, cursor: cursor) }
    return _overrideLifetime(Entry(key: RawSpan(found), value: RawSpan(value)), copying: self)
  }

  @_lifetime(copy self)
  func entry(_ found: MappedCursor.Found?) -> Entry? {
    guard let found else { return nil }
    return _overrideLifetime(
      Entry(key: RawSpan(_unsafeBytes: found.key), value: RawSpan(_unsafeBytes: found.value)), copying: self)
  }

  @_lifetime(copy self)
  mutating func move(_ operation: MDB_cursor_op) throws(StorageError) -> Entry? {
    guard let cursor else { return nil }
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    if code != MDB_SUCCESS {
      // LMDB returns EINVAL if there is no current entry.
      if operation == MDB_GET_CURRENT && code == 22 { return nil }
      throw StorageError(code: code, .moveCursor, cursor: cursor)
    }
    return _overrideLifetime(Entry(key: RawSpan(key), value: RawSpan(value)), copying: self)
  }
}
