import RepriseLMDB
import RepriseObjectModel

/// The table `meta`: the store's own metadata.
@usableFromInline
package struct MetaTable: Sendable {
  /// The format of a store: see Docs/FileFormat.md.
  static let format: UInt32 = 1
  /// The format of a store that shares its log. Only the number differs. It keeps other programs from saving alone.
  private static let sharedFormat: UInt32 = 2
  /// The mark before the number of the format, "RPRS". Stores of versions before 0.1 have only the number.
  private static let mark: UInt32 = 0x5352_5052

  @usableFromInline package let table: Table

  package init(_ table: Table) { self.table = table }

  @usableFromInline package func get(_ key: [UInt8], _ view: View) throws(StorageError) -> [UInt8]? {
    guard let value = try view.get(table, key: key.span.bytes) else { return nil }
    return value.withUnsafeBytes { [UInt8]($0) }
  }

  package func put(_ key: [UInt8], _ value: [UInt8], _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
  }

  @inlinable package static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }

  package static func bytes(_ id: UniqueID) -> [UInt8] {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { [UInt8]($0) }
  }

  package func number(_ key: [UInt8], _ view: View) throws(StorageError) -> UInt32? { try fixed(key, view) }

  private func fixed<Number: FixedWidthInteger>(_ key: [UInt8], _ view: View) throws(StorageError) -> Number? {
    guard let bytes = try get(key, view) else { return nil }
    guard bytes.count == MemoryLayout<Number>.size else { throw damaged(key) }
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  /// A number that every store has.
  package func requiredNumber(_ key: [UInt8], _ view: View) throws(StorageError) -> UInt32 {
    guard let number = try number(key, view) else { throw damaged(key) }
    return number
  }

  package func uuid(_ key: [UInt8], _ view: View) throws(StorageError) -> UniqueID? {
    guard let bytes = try get(key, view) else { return nil }
    guard bytes.count == 16 else { throw damaged(key) }
    return bytes.withUnsafeBytes { bytes in
      UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  func damaged(_ key: [UInt8]) -> StorageError {
    table.damaged(key, "\(Self.entry(key)) is missing or malformed")
  }

  /// An entry's name in errors.
  @usableFromInline package static func entry(_ key: [UInt8]) -> String {
    let name = key.map { (33...126).contains($0) ? String(Unicode.Scalar($0)) : String($0, radix: 16) }.joined()
    return "the entry '\(name)' of the table 'meta'"
  }

  @inlinable package func parsed<Value>(
    _ key: [UInt8], _ view: View, _ parse: (UnsafeRawBufferPointer) throws(MalformedBytes) -> Value
  ) throws(StorageError) -> Value? {
    guard let bytes = try get(key, view) else { return nil }
    return try table.parsing(key, Self.entry(key)) { () throws(MalformedBytes) in try bytes.lend(parse) }
  }

  // MARK: Entries

  package func putFormat(
    isShared: Bool = false, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let format = isShared ? Self.sharedFormat : Self.format
    try put(MetaKey.format, Self.bytes(UInt64(format) << 32 | UInt64(Self.mark)), transaction)
  }

  /// Whether the format is the one of a store that shares its log.
  package func isShared(_ view: View) throws(StorageError) -> Bool {
    try fixed(MetaKey.format, view) == UInt64(Self.sharedFormat) << 32 | UInt64(Self.mark)
  }

  /// Throws if the store shares its log.
  package func requireUnshared(_ view: View) throws(StorageError) {
    if try isShared(view) { throw .shared(StorageError.Site(.decode, table.path)) }
  }

  /// Whether the entry of the format was written by a version before 0.1: a number alone.
  package static func isOfPrerelease(_ format: some Collection<UInt8>) -> Bool {
    format.count == MemoryLayout<UInt32>.size
  }

  /// The number of the format that an entry has. `nil` if the entry is damaged. Throws unless this library can read the
  /// format.
  private static func formatNumber(_ entry: [UInt8], _ site: StorageError.Site) throws(StorageError) -> UInt32? {
    if isOfPrerelease(entry) { throw .prereleaseFormat(site) }
    guard entry.count == MemoryLayout<UInt64>.size else { return nil }
    let value = entry.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    let found = UInt32(value >> 32)
    guard UInt32(truncatingIfNeeded: value) == mark, found > 0 else { return nil }
    if found > sharedFormat { throw .newerFormat(found: found, supported: format, site) }
    return found
  }

  /// Throws if a version before 0.1 or a newer version made the store in a directory. Reads the file without mapping
  /// it. A missing or damaged entry is not reported.
  package static func requireFormat(ofStoreAt path: String) throws(StorageError) {
    guard let entry = try DataFile.value(of: MetaKey.format, in: "meta", path) else { return }
    _ = try formatNumber(entry, StorageError.Site(.checkFile, path))
  }

  /// Throws unless this library can read the store's format.
  private func requireFormat(_ view: View, sharing: Bool) throws(StorageError) {
    let site = StorageError.Site(.decode, table.path)
    guard let entry = try get(MetaKey.format, view) else {
      throw .foreignContents(reason: "the table 'meta' has no format", site)
    }
    guard let found = try Self.formatNumber(entry, site) else { throw damaged(MetaKey.format) }
    if found == Self.sharedFormat, !sharing { throw .shared(site) }
  }

  /// The ID of the log. Throws unless this library can read the store's format.
  ///
  /// - Parameter sharing: Whether the store may share its log.
  package func logID(_ view: View, sharing: Bool = false) throws(StorageError) -> UniqueID {
    try requireFormat(view, sharing: sharing)
    guard let logID = try uuid(MetaKey.log, view) else {
      throw table.damaged(MetaKey.log, "the table 'meta' has no ID of the log")
    }
    return logID
  }

  /// Every store has a schema and its history. If a missing schema were read as an empty one, the models would get new
  /// numbers.
  package func schema(_ view: View) throws(StorageError) -> StoredSchema {
    guard
      var schema = try parsed(
        MetaKey.schema, view, { (bytes) throws(MalformedBytes) in try StoredSchema(encoded: bytes) })
    else { throw table.damaged(MetaKey.schema, "the table 'meta' has no schema") }
    let history = try parsed(MetaKey.history, view) { (bytes) throws(MalformedBytes) in
      try SchemaHistory(encoded: bytes)
    }
    guard let history else { throw damaged(MetaKey.history) }
    schema.take(history)
    return schema
  }

  /// The stored schema, unless it has this revision. Cheaper than reading all of it, which each save would do in vain.
  package func schema(otherThan revision: UInt32, _ view: View) throws(StorageError) -> StoredSchema? {
    let key = MetaKey.schema
    guard let bytes = try view.get(table, key: key.span.bytes) else { return try schema(view) }
    let stored = try table.parsing(key, Self.entry(key)) { () throws(MalformedBytes) in
      try bytes.withUnsafeBytes { bytes throws(MalformedBytes) in try StoredSchema.revision(ofEncoded: bytes) }
    }
    return stored == revision ? nil : try schema(view)
  }

  package func put(_ schema: StoredSchema, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.schema, schema.encoded(), transaction)
    try put(MetaKey.history, SchemaHistory(of: schema).encoded(), transaction)
  }

  /// Where the log ends.
  package func head(_ view: View) throws(StorageError) -> LogEnd {
    let end = try parsed(MetaKey.head, view) { (bytes) throws(MalformedBytes) in try LogEnd(encoded: bytes) }
    guard let end else {
      throw table.damaged(
        MetaKey.head,
        "the table 'meta' does not record the last transaction of the log")
    }
    return end
  }

  package func put(_ head: LogHead, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(
      MetaKey.head,
      LogEnd(position: head.position, hash: head.hash, greatestID: head.greatestID).encoded(), transaction)
  }

  /// The number of objects of an entity.
  package func count(of entity: UInt32, _ view: View) throws(StorageError) -> Int {
    let key = MetaKey.count(entity)
    let count: UInt64? = try fixed(key, view)
    // No disk holds more, and adding to a count below the limit cannot overflow.
    guard let count = Int(exactly: count ?? 0), count < 1 << 48 else { throw damaged(key) }
    return count
  }

  package func put(count: Int, of entity: UInt32, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.count(entity), Self.bytes(UInt64(max(0, count))), transaction)
  }
}
