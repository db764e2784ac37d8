import RepriseLog
import RepriseObjectModel

extension ByteWriter {
  /// Writes an edit as a ``DraftStep``. False if the entity is not in the schema.
  ///
  /// For an inserted or deleted object, the step has all stored properties, even if they are null, because a migration
  /// converts them.
  mutating func step(_ edit: DraftEdit, _ map: SchemaMap, _ track: inout TextTrack) -> Bool {
    guard let entity = map.map(edit.object.name) else { return false }
    let object = ObjectAddress(entity: entity.number, uuid: edit.object.uuid)
    let start = count
    append(0)
    switch edit.change {
    case .inserted(let values):
      change(.inserted, object)
      fields(values, object, entity, map) { track.change($0, from: nil, to: $1) }
    case .deleted(let values):
      change(.deleted, object)
      fields(values, object, entity, map) { track.change($0, from: $1, to: nil) }
    case .updated(let changes):
      change(.updated, object)
      var (bases, count) = (ByteWriter(), 0)
      let numbers = entity.numbers
      let sorted = changes.count > 1 ? changes.sorted { numbers[$0.slot] < numbers[$1.slot] } : changes
      for change in sorted where entity.stores(change.slot) {
        let key = TextTrack.Key(object: object.uuid, property: numbers[change.slot])
        if field(change, key, map, &track, &bases) { count += 1 }
      }
      if count > 0 {
        var head = ByteWriter()
        head.varint(count)
        bytes.replaceSubrange(start...start, with: head.bytes + bases.bytes)
      }
    }
    return true
  }

  private mutating func fields(
    _ values: ContiguousArray<PropertyValue>, _ object: ObjectAddress, _ entity: EntityMap, _ map: SchemaMap,
    long: (TextTrack.Key, TextTrack.Print) -> Void
  ) {
    for stored in entity.stored where stored.slot < values.count {
      varint(UInt64(stored.number))
      value(values[stored.slot], map)
      if let print = values[stored.slot].longPrint {
        long(TextTrack.Key(object: object.uuid, property: stored.number), print)
      }
    }
  }

  /// Returns whether it is a splice, whose base is added to `bases`.
  private mutating func field(
    _ change: PropertyChange, _ key: TextTrack.Key, _ map: SchemaMap, _ track: inout TextTrack,
    _ bases: inout ByteWriter
  ) -> Bool {
    let isSpliced: Bool? = change.old.withLongBytes { old in
      guard old.count >= TextTrack.threshold, change.old.isSameKind(as: change.new) else { return false }
      let isSpliced: Bool? = change.new.withLongBytes { new in
        new.count >= TextTrack.threshold && splice(from: old, to: new, change.old, key, map, &track, &bases)
      }
      return isSpliced ?? false
    }
    if isSpliced ?? false { return true }
    fieldHead(key.property, .set)
    value(change.old, map)
    value(change.new, map)
    track.change(key, from: change.old.longPrint, to: change.new.longPrint)
    return false
  }

  /// Returns false and writes nothing if the whole values are shorter.
  private mutating func splice(
    from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ oldValue: PropertyValue, _ key: TextTrack.Key,
    _ map: SchemaMap, _ track: inout TextTrack, _ bases: inout ByteWriter
  ) -> Bool {
    let isText = if case .string = oldValue { true } else { false }
    let splice = Splice(from: old, to: new, isText: isText)
    let before = TextTrack.Print(old)
    if track.knows(key, as: before) {
      bases.base(.known(length: old.count, sum: before.sum))
    } else if old.count - splice.removed.count > 16 {
      bases.append(0)
      bases.value(oldValue, map)
    } else {
      return false
    }
    field(key.property, .splice(splice))
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

  /// Lends the bytes of a text or of bytes. `nil` for any other value.
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
