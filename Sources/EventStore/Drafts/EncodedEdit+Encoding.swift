import RepriseObjectModel

extension ByteWriter {
  /// Writes an edit as an ``EncodedEdit``; false if the entity is not in the schema.
  mutating func edit(_ edit: DraftEdit, _ map: SchemaMap, _ track: inout TextTrack) -> Bool {
    guard let entity = map.map(edit.object.name) else { return false }
    varint(UInt64(entity.number))
    uuid(edit.object.uuid)
    switch edit.change {
    case .inserted(let values):
      append(EncodedEditKind.inserted.rawValue)
      fields(values, edit.object.uuid, entity, map) { track.change($0, from: nil, to: $1) }
    case .deleted(let values):
      append(EncodedEditKind.deleted.rawValue)
      fields(values, edit.object.uuid, entity, map) { track.change($0, from: $1, to: nil) }
    case .updated(let changes):
      append(EncodedEditKind.updated.rawValue)
      let stored = changes.filter { entity.stores($0.slot) }
      varint(stored.count)
      for change in stored {
        let number = entity.numbers[change.slot]
        varint(UInt64(number))
        field(change, TextTrack.Key(object: edit.object.uuid, property: number), map, &track)
      }
    }
    return true
  }

  private mutating func fields(
    _ values: ContiguousArray<PropertyValue>, _ object: UniqueID, _ entity: EntityMap, _ map: SchemaMap,
    long: (TextTrack.Key, TextTrack.Print) -> Void
  ) {
    let slots = values.indices.filter(entity.stores)
    varint(slots.count)
    for slot in slots {
      let number = entity.numbers[slot]
      varint(UInt64(number))
      value(values[slot], map)
      let print = values[slot].withLongBytes { bytes in
        bytes.count < TextTrack.threshold ? nil : TextTrack.Print(bytes)
      }
      if let print = print ?? nil { long(TextTrack.Key(object: object, property: number), print) }
    }
  }

  private mutating func field(
    _ change: PropertyChange, _ key: TextTrack.Key, _ map: SchemaMap, _ track: inout TextTrack
  ) {
    let isSpliced: Bool? = change.old.withLongBytes { old in
      guard old.count >= TextTrack.threshold, change.old.isSameKind(as: change.new) else { return false }
      let isSpliced: Bool? = change.new.withLongBytes { new in
        new.count >= TextTrack.threshold
          && splice(from: old, to: new, change.old, key, map, &track)
      }
      return isSpliced ?? false
    }
    if isSpliced ?? false { return }
    append(EncodedEdit.FormCode.set)
    value(change.old, map)
    value(change.new, map)
    track.change(key, from: change.old.longPrint, to: change.new.longPrint)
  }

  /// Returns false and writes nothing if the whole values are shorter.
  private mutating func splice(
    from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ oldValue: PropertyValue, _ key: TextTrack.Key,
    _ map: SchemaMap, _ track: inout TextTrack
  ) -> Bool {
    let splice = Splice(from: old, to: new, isText: false)
    let before = TextTrack.Print(old)
    if track.knows(key, as: before) {
      append(EncodedEdit.FormCode.spliced)
      varint(old.count)
      fixed(before.sum)
    } else if old.count - splice.removed.count > 16 {
      append(EncodedEdit.FormCode.splicedFrom)
      value(oldValue, map)
    } else {
      return false
    }
    self.splice(splice)
    track.change(key, from: before, to: TextTrack.Print(new))
    return true
  }
}

extension PropertyValue {
  fileprivate func isSameKind(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.string, .string), (.bytes, .bytes): true
    default: false
    }
  }

  /// Lends the bytes of a text or of bytes; `nil` for any other value.
  fileprivate func withLongBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    switch self {
    case .string(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .bytes(let bytes): bytes.withUnsafeBytes(body)
    default: nil
    }
  }

  fileprivate var longPrint: TextTrack.Print? {
    let print: TextTrack.Print?? = withLongBytes { $0.count < TextTrack.threshold ? nil : TextTrack.Print($0) }
    return print ?? nil
  }
}
