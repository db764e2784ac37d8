import RepriseObjectModel

// The bytes of a body: its head, then the fields of a record or, in an update, changes by ascending number.

extension ByteWriter {
  /// The head of a body.
  package mutating func change(_ kind: Change.Kind, _ object: ObjectAddress) {
    append(kind.rawValue)
    self.object(object)
  }

  mutating func object(_ object: ObjectAddress) {
    varint(UInt64(object.entity))
    uuid(object.uuid)
  }

  /// The head of a property's change.
  package mutating func fieldHead(_ number: UInt32, _ form: FieldForm) { varint(UInt64(number) << 2 | form.rawValue) }

  package mutating func field(_ number: UInt32, _ field: Change.Field) {
    switch field {
    case .set(let old, let new):
      fieldHead(number, .set)
      valueOrNothing(old)
      valueOrNothing(new)
    case .splice(let splice):
      fieldHead(number, splice.isText ? .textSplice : .bytesSplice)
      self.splice(splice)
    case .redacted: fieldHead(number, .redacted)
    }
  }

  /// A property's change between two values: whole, or as a splice if that is enough smaller to be worth decoding.
  package mutating func field(_ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer) {
    if let splice = Splice(fromValue: old, toValue: new), splice.saves(over: old.count + new.count) {
      field(number, .splice(splice))
    } else {
      field(number, .set(old: old, new: new))
    }
  }

  /// A property's change as a change of this kind has it.
  package mutating func field(_ number: UInt32, _ field: Change.Field, of kind: Change.Kind) {
    switch (kind, field) {
    case (.inserted, .set(_, let value)), (.deleted, .set(let value, _)):
      if value.isEmpty { return }
      varint(UInt64(number))
      append(value)
    case (.updated, _), (_, .splice), (_, .redacted): self.field(number, field)
    }
  }

  package mutating func valueOrNothing(_ value: UnsafeRawBufferPointer) {
    if value.isEmpty { append(ValueTag.nothing.rawValue) } else { append(value) }
  }
}

extension Splice {
  /// A change with whole values can be read without earlier changes. So a splice is used only if it saves enough bytes.
  fileprivate func saves(over whole: Int) -> Bool { removed.count + inserted.count + 16 < whole }
}
