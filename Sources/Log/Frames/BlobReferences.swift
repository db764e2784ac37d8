import RepriseObjectModel

/// The blobs that events refer to.
package struct BlobReferences {
  package private(set) var blobs: Set<Blob> = []
  /// The numbers of the attributes that hold blobs.
  private let properties: Set<UInt32>

  package init(_ schema: StoredSchema) {
    var properties: Set<UInt32> = []
    for property in schema.entities.flatMap(\.properties) {
      if case .attribute(.blob, _) = property.role { properties.insert(property.number) }
    }
    self.properties = properties
  }

  /// The same attributes, and no blobs yet.
  package var emptied: Self {
    var emptied = self
    emptied.blobs = []
    return emptied
  }

  /// Whether no event can refer to a blob, because no attribute holds blobs.
  package var areNone: Bool { properties.isEmpty }

  /// Adds the blobs in the old and new values of an event.
  package mutating func add(_ event: LogEvent) throws(MalformedBytes) {
    guard var fields = event.change?.fields else { return }
    while let (number, field) = try fields.next() {
      guard case .set(let old, let new) = field else { continue }
      try add(old, number)
      try add(new, number)
    }
  }

  /// Adds the blobs in the new values of an event.
  package mutating func addNew(_ event: LogEvent) throws(MalformedBytes) {
    guard var fields = event.change?.fields else { return }
    while let (number, field) = try fields.next() {
      if case .set(_, let new) = field { try add(new, number) }
    }
  }

  /// Adds the references of an object.
  package mutating func add(_ fields: RecordFields) throws(MalformedBytes) {
    var cursor = RecordFields.Cursor(fields)
    while let number = try cursor.nextNumber() { try add(cursor.rawValue(), number) }
  }

  private mutating func add(_ value: UnsafeRawBufferPointer, _ number: UInt32) throws(MalformedBytes) {
    guard value.first == ValueTag.blob.rawValue, properties.contains(number) else { return }
    var reader = ByteReader(value)
    if case .blob(let blob) = try reader.scalar(), blob.byteCount > 0 { blobs.insert(blob) }
  }
}
