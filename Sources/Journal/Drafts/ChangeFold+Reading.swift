import RepriseLog
import RepriseObjectModel

// The result of a fold.

extension ChangeFold {
  /// Calls `body` with the net change of each property: without an old value if the object is inserted, without a new
  /// one if it is deleted.
  func forEachField<Failure: Error>(
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

  private func fieldCount(_ net: Net) -> Int {
    var (count, at) = (0, Int(net.first))
    while at >= 0 { (count, at) = (count + 1, Int(fields[at].next)) }
    return count
  }

  /// The properties that have other values than before.
  package func changedNumbers(_ net: Net, _ bytes: LentBytes) -> [UInt32] {
    var numbers: [UInt32] = []
    forEachField(of: net) { number, old, new in if !isSame(old, new, bytes) { numbers.append(number) } }
    return numbers
  }

  /// Whether the net change still changes anything.
  package func isChange(_ net: Net, _ bytes: LentBytes) -> Bool {
    net.kind != nil && (net.kind != .updated || !changedNumbers(net, bytes).isEmpty)
  }

  /// The value that the last change gave a property. `nil` if no change gave it one.
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

  /// The net change in the slots of this process's models, which must have all changed properties. `nil` if no change
  /// remains.
  package func change(
    _ net: Net, _ bytes: LentBytes, _ map: SchemaMap
  ) throws(MalformedBytes) -> (object: AnyObjectID, change: ObjectChange)? {
    guard let kind = net.kind else { return nil }
    guard var change = SlotChange(kind, of: net.object, map, expecting: fieldCount(net)) else {
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
