import RepriseLMDB
import RepriseObjectModel

/// The blobs that an erasure takes away: the log told of them in the objects that it covers, and nothing that is left
/// refers to them. A blob that other objects share stays, and so does one that a draft or a screen has.
struct ErasedBlobs {
  /// What the log told of the objects.
  private var told: BlobReferences
  /// What the log tells of any object once the values are gone, and what objects have.
  private var left: BlobReferences

  init(_ schema: StoredSchema) {
    told = BlobReferences(schema)
    left = told
  }

  /// Whether there can be none, so that nothing need be looked through.
  var areNone: Bool { told.blobs.isEmpty }

  /// Adds what a frame tells of objects that are covered, before it is redacted.
  mutating func look(at frame: LogFrame, of redactor: LogRedactor) throws(MalformedBytes) {
    if told.areNone { return }
    var events = frame.events
    while let event = try events.next() {
      if let object = event.change?.object, redactor.covers(object) { try told.add(event) }
    }
  }

  /// Adds what a frame tells now.
  mutating func keep(_ frame: [UInt8]) throws(MalformedBytes) {
    if areNone { return }
    try frame.lend { (bytes) throws(MalformedBytes) in
      var events = try LogFrame(bytes, readsNames: false).events
      while let event = try events.next() { try left.add(event) }
    }
  }

  /// Adds what an object has: the log may begin after it got that.
  mutating func keep(_ record: RecordReader) throws(MalformedBytes) { try left.add(record.fields) }

  /// - Parameter others: Tables with drafts or screens.
  func digests(unlessIn others: [Table], _ view: borrowing View) throws(StorageError) -> Set<Digest> {
    let digests = Set(told.blobs.subtracting(left.blobs).map(\.digest))
    if digests.isEmpty { return [] }
    var search = DigestSearch(digests)
    for table in others {
      try ChunkedRows(table, numbersFirst: true, limit: .max).scan(copy view, from: RawSpan()) {
        (_, bytes) throws(StorageError) in
        search.look(in: bytes)
        return true
      }
    }
    return digests.subtracting(search.found)
  }
}

extension BlobTable {
  /// Copies all but some blobs, and what is left of those that went before.
  static func copy(
    _ rewrite: borrowing TableRewrite, without erased: Set<Digest>, _ view: borrowing View,
    to transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let table = BlobTable(rewrite.source)
    var uploads = Set(try table.abandoned(copy view))
    for digest in erased {
      if let entry = try table.entry(of: digest, copy view) { uploads.insert(entry.upload) }
    }
    if uploads.isEmpty { return try rewrite.copyRows(view, to: transaction) }
    try rewrite.copyRows(view, to: transaction) { key in !isOf(erased, uploads, key) }
  }

  private static func isOf(_ digests: Set<Digest>, _ uploads: Set<UniqueID>, _ key: UnsafeRawBufferPointer) -> Bool {
    guard let kind = key.first.flatMap(Row.init) else { return false }
    let rest = UnsafeRawBufferPointer(rebasing: key[1...])
    switch kind {
    case .chunk, .abandoned:
      var reader = ByteReader(rest)
      guard let upload = try? reader.uuid("the ID of an upload") else { return false }
      return uploads.contains(upload)
    case .whole, .unused: return rest.count == Digest.size && digests.contains(Digest(unchecked: rest))
    }
  }
}
