import RepriseLog
import RepriseObjectModel

/// The net change of each object, computed from changes in their stored form.
///
/// It folds undecoded bytes. A value stays in its change, among ``LentBytes``, which each call receives again. Only
/// texts that splices change are here.
package struct ChangeFold: Sendable {
  /// - Parameter count: How many fields it will have at most, if that is known.
  package init(expecting count: Int = 0) { fields.reserveCapacity(count) }

  private var places = HashIndex()
  /// The place of the object that changed last, because most changes are of the same object as the one before.
  private var last = 0
  /// In the order of the objects' first changes.
  package private(set) var nets: [Net] = []
  private(set) var fields: [Field] = []
  private(set) var texts: [SplicedBytes] = []
  /// The fields of the last change that began again, as they were before it. Mostly none.
  private(set) var restarted: [Field] = []

  package struct Net: Sendable {
    package let object: ObjectAddress
    /// `nil` if nothing remains.
    package fileprivate(set) var kind: Change.Kind?
    /// The place of its first field. -1 if it has none.
    fileprivate(set) var first: Int32 = -1

    /// Whether it is an update of no property.
    var isNothing: Bool { kind == .updated && first < 0 }
  }

  /// A property that returned to its first value stays, because later splices refer to it, but it is not a change.
  struct Field {
    fileprivate(set) var old: Value
    let number: UInt32
    fileprivate(set) var new: Value
    /// The place of the object's next field. -1 if there is none.
    fileprivate(set) var next: Int32 = -1
  }

  /// Where a value is: among the lent bytes, or, if `start` is negative, among the texts.
  package struct Value: Sendable {
    fileprivate var start = 0
    /// 0 where there is no field.
    fileprivate(set) var count: UInt32 = 0

    static var none: Value { Value() }
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

    var textPlace: Int? { start < 0 ? ~start : nil }
    var range: Range<Int> { start..<start + Int(count) }
  }
}

// MARK: Folding

extension ChangeFold {
  /// Folds in a change that has whole values.
  package mutating func add(_ change: Change, _ bytes: LentBytes) throws(MalformedBytes) {
    let place = begin(change.object, change.kind)
    var fields = change.fields
    let first = try fields.next()
    guard try set(place, first, &fields, bytes) == nil else { throw MalformedBytes("whole values", at: 0) }
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

  /// Adds a text that is not among the lent bytes.
  package mutating func value(of text: SplicedBytes) -> Value {
    texts.append(text)
    return .text(texts.count - 1)
  }

  /// Begins to fold in a change, whose fields follow, and returns the place of its object.
  package mutating func begin(_ object: ObjectAddress, _ kind: Change.Kind) -> Int {
    if !restarted.isEmpty { restarted = [] }
    let place = place(of: object)
    guard let earlier = nets[place].kind, earlier.canPrecede(kind) else {
      // Nothing remains of earlier changes. Other pairs of kinds do not occur in one draft, so the later change holds.
      nets[place].kind = kind
      nets[place].first = -1
      return place
    }
    let both = earlier.followed(by: kind)
    if both != earlier { nets[place].kind = both }
    return place
  }

  /// Folds in the fields from the first to the next splice, and returns that.
  mutating func set(
    _ place: Int, _ first: (number: UInt32, field: Change.Field)?, _ fields: inout Change.Fields, _ bytes: LentBytes
  ) throws(MalformedBytes) -> (number: UInt32, splice: Splice)? {
    var next = first
    while let (number, field) = next {
      switch field {
      case .set(let old, let new): set(place, number, from: Value(old, bytes), to: Value(new, bytes), bytes)
      case .splice(let splice): return (number, splice)
      case .redacted: break
      }
      next = try fields.next()
    }
    return nil
  }

  /// The old value stays if a change begins with the new one. If it begins with another value, the property had
  /// returned to its first value in between, and the value below has changed. Then only the later change counts.
  mutating func set(_ place: Int, _ number: UInt32, from old: Value, to new: Value, _ bytes: LentBytes) {
    let (found, last) = field(place, number)
    if found >= 0 {
      if !isSame(fields[found].new, old, bytes) {
        restarted.append(fields[found])
        fields[found].old = old
      }
      fields[found].new = new
    } else {
      let next = Int32(truncatingIfNeeded: fields.count)
      fields.append(Field(old: old, number: number, new: new))
      if last >= 0 { fields[last].next = next } else { nets[place].first = next }
    }
  }

  /// Moves the new beginning of a field into the fold below, if the field continues one there.
  ///
  /// For example, an edit from 2 to 0 is below, and an edit from 0 to 2 is here. Together they change nothing. If
  /// another save makes the value 0, the next edit is from 0 to 1. The sum of both folds must then begin with 0. So the
  /// field below goes from 0 to 0, and the field here from 0 to 1.
  ///
  /// - Parameter former: The field as it was before it began again.
  /// - Returns: Whether the fold below has the property, and if the field continues it, the former field there.
  @inline(never)
  mutating func moveBeginning(
    _ object: ObjectAddress, _ former: Field, to lower: inout ChangeFold, _ bytes: LentBytes
  ) -> (isThere: Bool, former: Field?) {
    guard let place = known(object), let below = lower.known(object), lower.nets[below].kind != nil,
      case let (here, there) = (field(place, former.number).found, lower.field(below, former.number).found),
      here >= 0, there >= 0
    else { return (false, nil) }
    let earlier = lower.fields[there]
    let end = taken(earlier.new, from: lower)
    guard isSame(end, former.old, bytes) else { return (true, nil) }
    // Otherwise the sum begins with this field anyway. A field of no change may have been moved to before.
    guard isSame(end, fields[here].old, bytes) || lower.isSame(earlier.old, earlier.new, bytes) else {
      return (true, nil)
    }
    lower.fields[there].old = lower.taken(fields[here].old, from: self)
    fields[here].old = former.old
    return (true, earlier)
  }

  /// Ends a change. After a deletion, no property has a value, even if the deletion does not list it.
  mutating func end(_ place: Int, _ kind: Change.Kind) {
    guard kind == .deleted, nets[place].kind == .deleted else { return }
    var at = Int(nets[place].first)
    while at >= 0 {
      if fields[at].new.count > 0 { (fields[at].old, fields[at].new) = (.none, .none) }
      at = Int(fields[at].next)
    }
  }

  /// Forgets the properties that a change has.
  mutating func forget(_ change: Change) throws(MalformedBytes) {
    guard let place = known(change.object) else { return }
    var changed = change.fields
    while let (number, _) = try changed.next() {
      let (found, last) = field(place, number)
      guard found >= 0 else { continue }
      if last >= 0 { fields[last].next = fields[found].next } else { nets[place].first = fields[found].next }
    }
  }

  /// Splices the present text or bytes of a property. Returns false if the property has neither, or if `isRight`
  /// rejects the value.
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

  func known(_ object: ObjectAddress) -> Int? {
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
  func field(_ place: Int, _ number: UInt32) -> (found: Int, last: Int) {
    var (at, last) = (Int(nets[place].first), -1)
    while at >= 0, fields[at].number != number { (at, last) = (Int(fields[at].next), at) }
    return (at, last)
  }

  func isSame(_ left: Value, _ right: Value, _ bytes: LentBytes) -> Bool {
    switch (left.textPlace, right.textPlace) {
    case (nil, nil):
      left.count == right.count && (left.start == right.start || bytes[left.range].isSame(as: bytes[right.range]))
    case (let left?, nil): texts[left].isSame(as: bytes[right.range])
    case (nil, let right?): texts[right].isSame(as: bytes[left.range])
    case (let left?, let right?): left == right || texts[left].isSame(as: texts[right])
    }
  }
}
