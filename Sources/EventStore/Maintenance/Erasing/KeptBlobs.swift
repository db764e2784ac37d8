import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The blobs that an erasure keeps: the log, an object, a draft or a screen still refers to them. The erasure removes
/// all other blobs: of erased values, of dropped transactions and of discarded drafts, and blobs that the program has
/// not used yet.
struct KeptBlobs {
  private var references: BlobReferences

  init(_ schema: StoredSchema) { references = BlobReferences(schema) }

  /// Whether no frame and no object can refer to blobs, so that none need be read.
  var areNone: Bool { references.areNone }

  /// Adds the blobs that a redacted frame refers to.
  mutating func add(_ frame: [UInt8]) throws(MalformedBytes) {
    if areNone { return }
    try frame.lend { (bytes) throws(MalformedBytes) in
      var events = try LogFrame(bytes, readsNames: false).events
      while let event = try events.next() { try references.add(event) }
    }
  }

  /// Adds the blobs that an object refers to. The log may begin after the object got them.
  mutating func add(_ record: RecordReader) throws(MalformedBytes) { try references.add(record.fields) }

  /// The blobs of a table that are not kept.
  ///
  /// - Parameters:
  ///   - others: Tables with drafts or screens, in `copied`.
  func others(
    in table: BlobTable, _ view: borrowing View, unlessIn others: [Table], _ copied: borrowing View
  ) throws(StorageError) -> Set<Digest> {
    let kept = Set(references.blobs.map(\.digest))
    var digests: Set<Digest> = []
    try table.forEachBlob(copy view) { digest, _ in if !kept.contains(digest) { digests.insert(digest) } }
    if digests.isEmpty { return [] }
    var search = DigestSearch(digests)
    for table in others {
      try ChunkedRows(table, numbersFirst: true, limit: .max).scan(copy copied, from: RawSpan()) {
        (_, bytes) throws(StorageError) in
        search.look(in: bytes)
        return true
      }
    }
    return digests.subtracting(search.found)
  }
}

extension BlobTable {
  /// Copies all blobs except the erased ones and the remains of blobs removed earlier.
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
