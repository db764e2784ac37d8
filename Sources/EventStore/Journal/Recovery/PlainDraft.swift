import RepriseObjectModel

/// The common case of a recovered draft: all of it is in one journal, nothing was undone, saved or checkpointed, and
/// each edit sets one property.
///
/// The net change is computed directly from the journal's bytes, without decoding the steps; undo decodes them on
/// demand. ``DraftReplay`` handles every draft, this kind included.
struct PlainDraft {
  private(set) var header: DraftHeader
  private(set) var generation: UInt64 = 0
  private let run: JournalRun
  private var hasHeader = false
  /// The generation that all edits have in common.
  private var layer: UInt64?
  private var groupCount = 0
  private var lastGroupName: String?
  /// In the order of their first edit.
  private var objects: [Touched] = []
  private var places = HashIndex()
  /// The place of the object edited last, which the next edit most often touches too.
  private var last = 0
  private var fields: [Field] = []

  private struct Touched {
    let object: DraftObject
    /// The place of the object's first field.
    let first: Int
  }

  private struct Field: NetField {
    let number: UInt32
    var old: Value
    var new: Value
    /// The place of the object's next field; 0 if there is none.
    var next = 0
  }

  /// A ``DraftValue`` left in the bytes of the journal.
  private struct Value {
    let tag: UInt8
    let content: Range<Int>
  }

  /// `nil` if the draft is not plain.
  init?(_ id: String, _ run: JournalRun) {
    header = DraftHeader(id: id, base: 0)
    self.run = run
    let isPlain = run.journal.scan.bytes.lend { bytes in
      for entry in run.entries {
        do throws(MalformedBytes) {
          guard try add(entry, bytes) else { return false }
        } catch {
          return false
        }
      }
      return true
    }
    guard isPlain, hasHeader else { return nil }
  }

  /// False if the entry makes the draft not plain.
  private mutating func add(
    _ entry: JournalIndex.Entry, _ bytes: UnsafeRawBufferPointer
  ) throws(MalformedBytes) -> Bool {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[entry.body]))
    switch entry.kind {
    case .began:
      let began: UInt64
      (header, began) = try reader.draftHeader(header.id)
      generation = max(generation, began)
      hasHeader = true
      return true
    case .edited: return try addEdit(&reader, at: entry.body.lowerBound, bytes)
    case .rebased:
      (header.base, header.baseHash) = try reader.draftBase()
      return true
    case .nodePut, .nodeRemoved, .sceneCleared: return true
    case .undone, .redone, .emptied, .ended: return false
    }
  }

  private mutating func addEdit(
    _ reader: inout ByteReader, at start: Int, _ bytes: UnsafeRawBufferPointer
  ) throws(MalformedBytes) -> Bool {
    let head = try reader.editHead()
    let edited = head.generation
    // It may stand in the way of what comes back when it goes.
    guard head.reversal == nil else { return false }
    let entity = try reader.number("an entity's number")
    let object = DraftObject(entity: entity, uuid: try reader.uuid("an object's UUID"))
    guard try reader.byte("the kind of an edit") == EncodedEditKind.updated.rawValue,
      try reader.byte("a count of properties") == 1
    else { return false }
    let number = try reader.number("a property's number")
    guard try reader.byte("the form of a change") == EncodedEdit.FormCode.set else { return false }
    let old = try Self.value(&reader, at: start)
    let new = try Self.value(&reader, at: start)
    guard reader.isAtEnd, edited == layer ?? edited else { return false }
    layer = edited
    generation = max(generation, edited)
    if head.startsGroup || groupCount == 0 {
      groupCount += 1
      lastGroupName = head.name
    }
    set(object, number, from: old, to: new, bytes)
    return true
  }

  private static func value(_ reader: inout ByteReader, at start: Int) throws(MalformedBytes) -> Value {
    var from = reader.offset
    let tag = try reader.byte("a value's tag")
    if DraftValue.isSized(tag) {
      let count = try reader.count("a text or bytes")
      from = reader.offset
      _ = try reader.take(count, "a text or bytes")
    } else {
      reader.offset = from
      try reader.skipValue()
    }
    return Value(tag: tag, content: start + from..<start + reader.offset)
  }

  /// Like ``NetChanges/set(_:_:from:to:)``.
  private mutating func set(
    _ object: DraftObject, _ number: UInt32, from old: Value, to new: Value, _ bytes: UnsafeRawBufferPointer
  ) {
    if last >= objects.count || objects[last].object != object {
      last = places.place(object.uuid.spread) { objects[$0].object == object } ?? objects.count
    }
    if last == objects.count {
      places.insert(object.uuid.spread, last)
      objects.append(Touched(object: object, first: fields.count))
    } else {
      var at = objects[last].first
      while fields[at].number != number {
        if fields[at].next == 0 {
          fields[at].next = fields.count
          break
        }
        at = fields[at].next
      }
      if fields[at].number == number {
        let isNext = Self.areIdentical(fields[at].new, old, bytes)
        return fields[at].follow(from: old, to: new, beginsWhereThisEnded: isNext)
      }
    }
    fields.append(Field(number: number, old: old, new: new))
  }

  private static func areIdentical(_ left: Value, _ right: Value, _ bytes: UnsafeRawBufferPointer) -> Bool {
    left.tag == right.tag
      && UnsafeRawBufferPointer(rebasing: bytes[left.content]).isSame(
        as: UnsafeRawBufferPointer(rebasing: bytes[right.content]))
  }

  /// The draft in terms of this process's models; throws if they lack an entity or a property that it touches.
  func image(_ map: SchemaMap) throws(MalformedBytes) -> DraftImage {
    let changes = try run.journal.scan.bytes.lend { (bytes) throws(MalformedBytes) in try self.changes(map, bytes) }
    return DraftImage(
      header: header, generation: generation, changes: changes, groupCount: groupCount, lastGroupName: lastGroupName,
      redoCount: 0, steps: .inJournal(run), map: map)
  }

  private func changes(
    _ map: SchemaMap, _ bytes: UnsafeRawBufferPointer
  ) throws(MalformedBytes) -> ObjectMap<ObjectChange> {
    var changes = ObjectMap<ObjectChange>()
    changes.reserveCapacity(objects.count)
    for touched in objects {
      let object = touched.object
      var net: [PropertyChange] = []
      var at = touched.first
      repeat {
        let field = fields[at]
        at = field.next
        if Self.areIdentical(field.old, field.new, bytes) { continue }
        if net.isEmpty { net.reserveCapacity(4) }
        let slot = try map.entity(object).known(field.number)
        let old = try DraftValue.propertyValue(field.old.tag, bytes[field.old.content], map)
        let new = try DraftValue.propertyValue(field.new.tag, bytes[field.new.content], map)
        net.append(PropertyChange(slot: slot, old: old, new: new))
      } while at != 0
      if net.isEmpty { continue }
      if net.count > 1 { net.sort { $0.slot < $1.slot } }
      changes[AnyObjectID(try map.entity(object).entity.interned, object.uuid)] = .updated(net)
    }
    return changes
  }
}
