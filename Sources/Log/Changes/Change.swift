import RepriseObjectModel

/// A change of one object in the store's numbers, over lent bytes.
///
/// Its bytes are a **body**: the kind, the object, and the changes of the properties. An event of the log is a body
/// after a salt. An edit of a draft is a body after the draft's name and generation. The net change of an object in a
/// draft is a body, too ("Bodies" in Docs/FileFormat/log.md). Use a change inside the closure that lent the bytes.
@frozen
@usableFromInline
package struct Change {
  @usableFromInline package typealias Kind = ChangeKind

  @usableFromInline package let kind: Kind
  @usableFromInline package let object: ObjectAddress
  /// The bytes after the object: fields as in a record or, of an update, one change for each property.
  @usableFromInline package let payload: UnsafeRawBufferPointer
  /// Whether an update leads from the new values to the old ones.
  @usableFromInline let isBackward: Bool

  @inlinable init(
    _ kind: Kind, _ object: ObjectAddress, _ payload: UnsafeRawBufferPointer, isBackward: Bool = false
  ) {
    self.kind = kind
    self.object = object
    self.payload = payload
    self.isBackward = isBackward
  }

  /// Reads the head of a body. Its fields are checked as they are read.
  package init(_ body: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(body)
    let kind = EventKind(rawValue: try reader.byte("the kind of a change"))
    guard let kind, let effect = kind.effect else { throw MalformedBytes("the kind of a change", at: 0) }
    let object = ObjectAddress(
      entity: try reader.number("an entity's number"), uuid: try reader.uuid("an object's UUID"))
    // An edge changes no property. For a merged object, the ID of the other object precedes the fields.
    let isEdge = kind == .edgeAdded || kind == .edgeRemoved
    if kind == .mergedInto { _ = try reader.uuid("an object's UUID") }
    self.init(effect, object, isEdge ? .noValue : UnsafeRawBufferPointer(rebasing: body[reader.offset...]))
  }

  /// The change that reverts this one.
  @inlinable package var inverse: Change {
    switch kind {
    case .inserted: Change(.deleted, object, payload)
    case .deleted: Change(.inserted, object, payload)
    case .updated: Change(.updated, object, payload, isBackward: !isBackward)
    }
  }

  /// Whether no property changes.
  @inlinable package var isNothing: Bool { kind == .updated && payload.isEmpty }

  /// All values of an inserted object, or the last values of a deleted object. `nil` for an update.
  package var whole: RecordFields? { kind == .updated ? nil : RecordFields(payload) }
}

// MARK: Fields

extension Change {
  /// How one property changes. Values have their tags, and are empty where there is no field.
  @frozen @usableFromInline package enum Field {
    case set(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer)
    case splice(Splice)
    /// The values were erased: only the fact of the change is known.
    case redacted
  }

  /// The properties by ascending number. Before an insertion and after a deletion, there are no fields.
  @inlinable package var fields: Fields { Fields(self) }

  @frozen @usableFromInline package struct Fields {
    @usableFromInline var reader: ByteReader
    @usableFromInline var last: UInt64 = 0
    @usableFromInline let kind: Kind
    @usableFromInline let isBackward: Bool

    @inlinable init(_ change: Change) {
      reader = ByteReader(change.payload)
      kind = change.kind
      isBackward = change.isBackward
    }

    /// The next property's number and change. `nil` after the last.
    @inlinable @inline(__always)
    package mutating func next() throws(MalformedBytes) -> (number: UInt32, field: Field)? {
      if reader.isAtEnd { return nil }
      let head = try reader.varint("a property's number")
      guard kind == .updated else {
        let number = try number(head)
        let value = try value()
        return (number, kind == .inserted ? .set(old: .noValue, new: value) : .set(old: value, new: .noValue))
      }
      let number = try number(head >> 2)
      switch FieldForm(rawValue: head & 3) {
      case .set:
        let (old, new) = (try value(), try value())
        return (number, isBackward ? .set(old: new, new: old) : .set(old: old, new: new))
      case .textSplice, .bytesSplice:
        let splice = try reader.splice(isText: head & 3 == FieldForm.textSplice.rawValue)
        return (number, .splice(isBackward ? splice.inverse : splice))
      case .redacted, nil: return (number, .redacted)
      }
    }

    @inlinable @inline(__always)
    mutating func number(_ number: UInt64) throws(MalformedBytes) -> UInt32 {
      guard number > last, let found = UInt32(exactly: number) else {
        throw reader.fail("a property number that is greater than the one before")
      }
      last = number
      return found
    }

    @inlinable @inline(__always)
    mutating func value() throws(MalformedBytes) -> UnsafeRawBufferPointer {
      let start = reader.offset
      try reader.skipValue()
      if reader.bytes[start] == ValueTag.nothing.rawValue { return .noValue }
      return UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
    }
  }
}

/// The form of a property's change in an update: the two lowest bits of its number.
@frozen
@usableFromInline
package enum FieldForm: UInt64 {
  case set = 0
  case textSplice = 1
  case bytesSplice = 2
  case redacted = 3
}

extension UnsafeRawBufferPointer {
  /// The value of a property without a field.
  @inlinable package static var noValue: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
