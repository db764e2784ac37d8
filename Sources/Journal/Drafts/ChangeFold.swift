import RepriseLog
import RepriseObjectModel

/// The net change of each object: the only place that says what a change and then another one come to.
///
/// It folds bytes that nobody has decoded. A value stays where the change has it, among ``LentBytes``, which each call
/// is lent anew; only texts that splices change are here.
package struct ChangeFold: Sendable {
  /// - Parameter count: How many fields it will have at most, if that is known.
  package init(expecting count: Int = 0) { fields.reserveCapacity(count) }

  private var places = HashIndex()
  /// The place of the object that changed last: most changes are of the same one.
  private var last = 0
  /// In the order of the objects' first changes.
  package private(set) var nets: [Net] = []
  private var fields: [Field] = []
  private var texts: [SplicedBytes] = []

  package struct Net: Sendable {
    package let object: ObjectAddress
    /// `nil` if nothing remains.
    package fileprivate(set) var kind: Change.Kind?
    /// The place of its first field; -1 if it has none.
    fileprivate var first: Int32 = -1

    /// Whether it is an update of no property.
    var isNothing: Bool { kind == .updated && first < 0 }
  }

  /// A property that returned to its first value is kept, because later splices refer to it; it is not a change.
  private struct Field {
    var old: Value
    let number: UInt32
    var new: Value
    /// The place of the object's next field; -1 if there is none.
    var next: Int32 = -1
  }

  /// Where a value is: among the lent bytes, or, if `start` is negative, among the texts.
  package struct Value: Sendable {
    fileprivate var start = 0
    /// 0 where there is no field.
    fileprivate var count: UInt32 = 0

    fileprivate static var none: Value { Value() }
    fileprivate static func text(_ place: Int) -> Value { Value(start: ~place, count: 1) }

    @inline(__always)
    package init() {}

    @inline(__always)
    fileprivate init(start: Int, count: UInt32) {
      self.start = start
      self.count = count
    }

    @inline(__always)
    init(_ value: UnsafeRawBufferPointer, _ bytes: LentBytes) {
      if value.isEmpty { return }
      start = bytes.offset(of: value)
      count = UInt32(clamping: value.count)
    }

    fileprivate var textPlace: Int? { start < 0 ? ~start : nil }
    fileprivate var range: Range<Int> { start..<start + Int(count) }
  }
}

// MARK: Folding

extension ChangeFold {
  /// Folds in a change that has whole values.
  package mutating func add(_ change: Change, _ bytes: LentBytes) throws(MalformedBytes) {
    let place = begin(change.object, change.kind)
    var fields = change.fields
    while let (number, field) = try fields.next() {
      guard case .set(let old, let new) = field else { throw MalformedBytes("whole values", at: 0) }
      set(place, number, from: Value(old, bytes), to: Value(new, bytes), bytes)
    }
    end(place, change.kind)
  }

  /// Folds in the net changes of later changes.
  package mutating func append(_ later: ChangeFold, _ bytes: LentBytes) {
    for net in later.nets {
      guard let kind = net.kind else { continue }
      let place = begin(net.object, kind)
      later.forEachField(of: net) { number, old, new in
        set(place, number, from: taken(old, from: later), to: taken(new, from: later), bytes)
      }
      end(place, kind)
    }
  }

  private mutating func taken(_ value: Value, from other: ChangeFold) -> Value {
    guard let place = value.textPlace else { return value }
    return self.value(of: other.texts[place])
  }

  /// Takes up a text that lies nowhere among the bytes.
  package mutating func value(of text: SplicedBytes) -> Value {
    texts.append(text)
    return .text(texts.count - 1)
  }

  /// Begins to fold in a change, whose fields follow, and returns the place of its object.
  package mutating func begin(_ object: ObjectAddress, _ kind: Change.Kind) -> Int {
    let place = place(of: object)
    switch (nets[place].kind, kind) {
    case (.inserted, .updated), (.updated, .updated): break
    case (.updated, .deleted): nets[place].kind = .deleted
    case (.deleted, .inserted): nets[place].kind = .updated
    case (.inserted, .deleted): nets[place].kind = nil
    case (nil, _), (.deleted, _), (_, .inserted):
      // The others do not follow each other in one draft: the later one says what is.
      nets[place].kind = kind
      nets[place].first = -1
    }
    return place
  }

  /// The old value stays where a change begins with the new one. Where it begins with another value, the property had
  /// returned to its first value in between, and what lies below has changed: then only the later change counts.
  mutating func set(_ place: Int, _ number: UInt32, from old: Value, to new: Value, _ bytes: LentBytes) {
    let (found, last) = field(place, number)
    if found >= 0 {
      if !isSame(fields[found].new, old, bytes) { fields[found].old = old }
      fields[found].new = new
    } else {
      let next = Int32(truncatingIfNeeded: fields.count)
      fields.append(Field(old: old, number: number, new: new))
      if last >= 0 { fields[last].next = next } else { nets[place].first = next }
    }
  }

  /// Ends a change: a deletion leaves no value, also where it does not mention one.
  mutating func end(_ place: Int, _ kind: Change.Kind) {
    guard kind == .deleted, nets[place].kind == .deleted else { return }
    var at = Int(nets[place].first)
    while at >= 0 {
      if fields[at].new.count > 0 { (fields[at].old, fields[at].new) = (.none, .none) }
      at = Int(fields[at].next)
    }
  }

  /// Splices the text or bytes that a property has by now. False if it has none, or if `isRight` rejects it.
  package mutating func splice(
    _ place: Int, _ number: UInt32, _ splice: Splice, _ bytes: LentBytes, where isRight: (SplicedBytes) -> Bool
  ) -> Bool {
    let (found, _) = field(place, number)
    guard found >= 0 else { return false }
    if let place = fields[found].new.textPlace { return isRight(texts[place]) && texts[place].apply(splice) }
    guard var text = SplicedBytes(bytes[fields[found].new.range]), isRight(text), text.apply(splice) else {
      return false
    }
    fields[found].new = value(of: text)
    return true
  }

  // MARK: Places

  private func known(_ object: ObjectAddress) -> Int? {
    places.place(object.uuid.spread) { nets[$0].object == object }
  }

  /// The place of an object, which is made if necessary.
  private mutating func place(of object: ObjectAddress) -> Int {
    if last < nets.count, nets[last].object == object { return last }
    last = known(object) ?? nets.count
    if last == nets.count {
      places.insert(object.uuid.spread, last)
      nets.append(Net(object: object))
    }
    return last
  }

  /// The place of a field, -1 if there is none; and of the one before it.
  private func field(_ place: Int, _ number: UInt32) -> (found: Int, last: Int) {
    var (at, last) = (Int(nets[place].first), -1)
    while at >= 0, fields[at].number != number { (at, last) = (Int(fields[at].next), at) }
    return (at, last)
  }

  private func isSame(_ left: Value, _ right: Value, _ bytes: LentBytes) -> Bool {
    switch (left.textPlace, right.textPlace) {
    case (nil, nil):
      left.count == right.count && (left.start == right.start || bytes[left.range].isSame(as: bytes[right.range]))
    case (let left?, nil): texts[left].isSame(as: bytes[right.range])
    case (nil, let right?): texts[right].isSame(as: bytes[left.range])
    case (let left?, let right?): left == right || texts[left].isSame(as: texts[right])
    }
  }
}

// MARK: Reading

extension ChangeFold {
  /// Calls `body` with what became of each property: without an old value if the object is inserted, without a new one
  /// if it is deleted.
  private func forEachField<Failure: Error>(
    of net: Net, _ body: (_ number: UInt32, _ old: Value, _ new: Value) throws(Failure) -> Void
  ) throws(Failure) {
    var at = Int(net.first)
    while at >= 0 {
      let field = fields[at]
      try body(
        field.number, net.kind == .inserted ? .none : field.old, net.kind == .deleted ? .none : field.new)
      at = Int(field.next)
    }
  }

  /// The properties that have other values than before.
  package func changedNumbers(_ net: Net, _ bytes: LentBytes) -> [UInt32] {
    var numbers: [UInt32] = []
    forEachField(of: net) { number, old, new in if !isSame(old, new, bytes) { numbers.append(number) } }
    return numbers
  }

  /// Whether anything of it remains.
  package func isChange(_ net: Net, _ bytes: LentBytes) -> Bool {
    net.kind != nil && (net.kind != .updated || !changedNumbers(net, bytes).isEmpty)
  }

  /// The value that changes last gave a property; `nil` if they gave none.
  package func value(_ object: ObjectAddress, _ number: UInt32) -> Value? {
    guard let place = known(object), let kind = nets[place].kind, kind != .deleted else { return nil }
    let found = field(place, number).found
    return found < 0 ? nil : fields[found].new
  }

  /// `nil` if a value is neither a text nor bytes.
  package func text(_ value: Value, _ bytes: LentBytes) -> SplicedBytes? {
    if let place = value.textPlace { return texts[place] }
    return SplicedBytes(bytes[value.range])
  }

  /// In terms of this process's models, which must have all that changes; `nil` if nothing remains.
  package func change(
    _ net: Net, _ bytes: LentBytes, _ map: SchemaMap
  ) throws(MalformedBytes) -> (object: AnyObjectID, change: ObjectChange)? {
    guard let kind = net.kind else { return nil }
    guard var change = SlotChange(kind, of: net.object, map) else {
      if isChange(net, bytes) { throw SlotChange.unknown(net.object) }
      return nil
    }
    let entity = change.entity
    try forEachField(of: net) { (number, old, new) throws(MalformedBytes) in
      if kind == .updated, isSame(old, new, bytes) { return }
      let slot = try change.slot(number)
      change.add(
        slot, from: try decoded(old, slot, entity, bytes, map), to: try decoded(new, slot, entity, bytes, map))
    }
    return change.isNothing ? nil : change.finished
  }

  private func decoded(
    _ value: Value, _ slot: Int, _ entity: EntityMap, _ bytes: LentBytes, _ map: SchemaMap
  ) throws(MalformedBytes) -> PropertyValue {
    guard let place = value.textPlace else { return try entity.value(bytes[value.range], slot, map) }
    guard let text = texts[place].value else { throw MalformedBytes("a text", at: 0) }
    return text
  }

  /// Writes the body of a net change, with whole values.
  ///
  /// - Parameter isWanted: Which properties it has.
  package func write(
    _ net: Net, _ bytes: LentBytes, to writer: inout ByteWriter,
    where isWanted: (_ number: UInt32, _ isChanged: Bool) -> Bool
  ) {
    guard let kind = net.kind else { return }
    var found: [(number: UInt32, old: Value, new: Value)] = []
    forEachField(of: net) { number, old, new in
      if isWanted(number, !isSame(old, new, bytes)) { found.append((number, old, new)) }
    }
    writer.change(kind, net.object)
    for (number, old, new) in found.sorted(by: { $0.number < $1.number }) {
      switch kind {
      case .inserted where new.count > 0: write(number, new)
      case .deleted where old.count > 0: write(number, old)
      case .inserted, .deleted: break
      case .updated:
        writer.fieldHead(number, .set)
        write(old)
        write(new)
      }
    }
    func write(_ number: UInt32, _ value: Value) {
      writer.varint(UInt64(number))
      write(value)
    }
    func write(_ value: Value) {
      if let place = value.textPlace { writer.value(texts[place]) } else { writer.valueOrNothing(bytes[value.range]) }
    }
  }
}
