import RepriseLog
import RepriseObjectModel

/// Finds in the log which objects were extracted from or inlined into which.
struct PartSearch {
  private let descent: Descent
  private let wanted: Set<ObjectAddress>
  /// The entity of the objects that hold the reference between part and whole, and the entity that the reference leads
  /// to.
  private let (holder, other): (UInt32, UInt32)
  private var hasBegun: Bool
  /// The object that each holder refers to, if the search wants the holder or this object.
  private var references: [UniqueID: UniqueID] = [:]
  /// The holders whose reference at the beginning of the migration the log has shown.
  private var told: Set<UniqueID> = []
  private(set) var found: Set<Pair> = []

  struct Pair: Hashable {
    let whole: UniqueID
    let part: UniqueID
  }

  /// - hasBegun: Whether the migration began before the log begins.
  init(_ descent: Descent, _ schema: StoredSchema, _ wanted: Set<ObjectAddress>, hasBegun: Bool) {
    self.descent = descent
    self.wanted = wanted
    self.hasBegun = hasBegun
    let isAtSource = schema.entity(number: descent.source)?.property(number: descent.reference) != nil
    (holder, other) = isAtSource ? (descent.source, descent.target) : (descent.target, descent.source)
  }

  /// Marks the beginning of the migration: later references belong to later times.
  mutating func begin() {
    hasBegun = true
    if descent.kind == .inlined { for (holder, target) in references { add(holder, target) } }
  }

  mutating func look(at change: Change) throws(MalformedBytes) {
    let object = change.object
    switch descent.kind {
    case .moved: return
    case .extracted:
      guard object.entity == descent.source else { return }
      let part = descent.part(of: object.uuid)
      if wanted.contains(ObjectAddress(entity: descent.target, uuid: part)) {
        found.insert(Pair(whole: object.uuid, part: part))
      }
    case .inlined:
      guard object.entity == holder, let (old, new) = try reference(in: change) else { return }
      if !hasBegun { return note(object.uuid, new) }
      // If the log begins after the object was inserted, the first later event shows the former reference.
      if references[object.uuid] == nil, told.insert(object.uuid).inserted, let old { add(object.uuid, old) }
    }
  }

  /// The reference before and after a change. `nil` if the change does not mention it.
  private func reference(in change: Change) throws(MalformedBytes) -> (old: UniqueID?, new: UniqueID?)? {
    var fields = change.fields
    while let (number, field) = try fields.next() {
      guard number == descent.reference, case .set(let old, let new) = field else { continue }
      return (try Self.target(old), try Self.target(new))
    }
    // If an event with all values of an object lacks this property, the object has no reference.
    return change.kind == .updated ? nil : (nil, nil)
  }

  private static func target(_ raw: UnsafeRawBufferPointer) throws(MalformedBytes) -> UniqueID? {
    guard raw.first == ValueTag.reference.rawValue else { return nil }
    var reader = ByteReader(raw)
    reader.offset = 1
    _ = try reader.number("an entity's number")
    return try reader.uuid("an object's UUID")
  }

  private mutating func note(_ holder: UniqueID, _ target: UniqueID?) {
    if let target, isWanted(holder, target) { references[holder] = target } else { references[holder] = nil }
  }

  private func isWanted(_ holder: UniqueID, _ target: UniqueID) -> Bool {
    wanted.contains(ObjectAddress(entity: self.holder, uuid: holder))
      || wanted.contains(ObjectAddress(entity: other, uuid: target))
  }

  private mutating func add(_ holder: UniqueID, _ target: UniqueID) {
    guard isWanted(holder, target) else { return }
    let isWhole = self.holder == descent.target
    found.insert(isWhole ? Pair(whole: holder, part: target) : Pair(whole: target, part: holder))
  }
}
