import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Collects the blobs that objects refer to, or the log from its first position on, in steps.
///
/// Objects come first. A save during the walk is in the log behind it, so no reference is missed.
struct BlobReferenceWalk {
  private(set) var references: BlobReferences
  /// The object to continue from. `nil` once all were read.
  private var object: ObjectKey?
  /// The last transaction that was read.
  private var position: Position = 0
  /// Whether the last step reached the head of the log.
  private(set) var isAtHead = false

  /// The most objects, and the most transactions, of one step.
  private static let slice = 4_000

  init(_ schema: StoredSchema) {
    references = BlobReferences(schema)
    if !references.areNone { object = ObjectKey(entity: 0, uuid: .zero) }
  }

  /// Takes the next step. After the head, it continues with the transactions saved meanwhile.
  mutating func step(_ tables: StoreTables, _ view: View) throws(StorageError) {
    if references.areNone { return isAtHead = true }
    if let first = object { return object = try readObjects(from: first, tables, view) }
    let log = LogTable(tables.log)
    let (floor, head) = (try MetaTable(tables.meta).firstPosition(view), try log.lastPosition(view))
    // Dropped transactions may be removed at any time.
    position = max(position, floor - 1)
    let last = min(head, position + Self.slice)
    while position < last {
      position = position + 1
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        var events = frame.events
        while let event = try events.next() { try references.add(event) }
      }
    }
    isAtHead = position >= head
  }

  /// Returns the object to continue from.
  private mutating func readObjects(
    from first: ObjectKey, _ tables: StoreTables, _ view: View
  ) throws(StorageError) -> ObjectKey? {
    var (count, next) = (0, ObjectKey?.none)
    let start = CollectionOfOne(first)
    try ObjectTable(tables).rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
      guard let key = ObjectKey(key), !key.isTombstone else { return false }
      if count == Self.slice {
        next = key
        return false
      }
      count += 1
      try tables.objects.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
        try references.add(try RecordReader(stored: bytes).fields)
      }
      return true
    }
    return next
  }
}
