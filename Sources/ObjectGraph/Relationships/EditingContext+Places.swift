import RepriseEventStore
import RepriseObjectModel

// The places of objects that enter and leave ordered relationships. An object that returns to the place that it has in
// the layers below is no change.

extension EditingContext {
  /// Places an object whose reference now leads to `target`. The object gets the place that it has in the layers below,
  /// if that is after all other members. Otherwise it gets a new place after them. Without a target, it keeps the place
  /// of the layers below, which then has no meaning.
  ///
  /// - Parameter end: The to-one of the object.
  func settlePlace(of id: AnyObjectID, _ end: ResolvedSchema.Relationship, _ target: AnyObjectID?) {
    guard let places = end.places, let map = store.map.map(id.name),
      let current = readingToChange(of: id, map)?.values?[places.slot]
    else { return }
    var place = target == nil ? valueBelow(of: id, places.slot, now: current) : Place.atEnd()
    if let target, let below = placeBelow(of: id, end.slot, places, now: current),
      isBehindAll(below, of: target, end, except: id)
    {
      place = .bytes(below)
    }
    if !current.isIdentical(to: place) { change(id, places.slot, from: current, to: place) }
  }

  /// Like ``settlePlace(of:_:_:)``, after planned changes that may have emptied references.
  func settlePlaces(of id: AnyObjectID, after changes: [PropertyChange]) {
    guard let map = store.map.map(id.name), map.entity.keepsPlaces else { return }
    for change in changes where change.new.isNull {
      guard let end = store.map.schema.relationship(change.slot, of: map.entity), let places = end.places,
        !changes.contains(where: { $0.slot == places.slot })
      else { continue }
      settlePlace(of: id, end, nil)
    }
  }

  /// The values of a new link. If this context deleted the same link of the layers below, the new link gets its places,
  /// unless another member is behind them.
  func keepingPlaces(
    _ values: ContiguousArray<PropertyValue>, of link: AnyObjectID, _ map: EntityMap
  ) -> ContiguousArray<PropertyValue> {
    guard map.entity.keepsPlaces, case .deleted(let below) = overlay.changes[link] else { return values }
    var values = values
    for end in store.map.schema.relationships(of: map.entity) {
      guard let places = end.places, let owner = values[end.slot].reference,
        case .bytes(let place) = below[places.slot],
        isBehindAll(place, of: owner, end, except: link)
      else { continue }
      values[places.slot] = .bytes(place)
    }
    return values
  }

  /// The place of an object in the layers below, if its reference has the same target there. `nil` if the target is
  /// another one, or if the object has no place there.
  ///
  /// - Parameters:
  ///   - slot: The slot of the to-one to the owner.
  ///   - current: The place that the object has now.
  func placeBelow(
    of id: AnyObjectID, _ slot: Int, _ places: ResolvedSchema.Relationship.Places, now current: PropertyValue
  ) -> [UInt8]? {
    switch overlay.changes[id] {
    case .inserted, .deleted: return nil
    case .updated(let changes) where changes.contains(where: { $0.slot == slot }): return nil
    case .updated, nil: break
    }
    if case .bytes(let place) = valueBelow(of: id, places.slot, now: current) { return place }
    return nil
  }

  /// The value of a property below this overlay.
  private func valueBelow(of id: AnyObjectID, _ slot: Int, now current: PropertyValue) -> PropertyValue {
    switch overlay.changes[id] {
    case .inserted: .null
    case .updated(let changes): changes.first { $0.slot == slot }?.old ?? current
    case .deleted, nil: current
    }
  }

  /// Whether a place is after the places of all members except `own`. O(log n).
  ///
  /// - Parameter end: The to-one of the members.
  private func isBehindAll(
    _ place: [UInt8], of owner: AnyObjectID, _ end: ResolvedSchema.Relationship, except own: AnyObjectID
  ) -> Bool {
    guard let back = store.map.schema.relationship(end.inverseSlot, of: end.target), let places = back.places else {
      return false
    }
    // If the rows cannot be read, the object gets a new place, which is also correct.
    guard let rows = try? orderedRows(back, places, of: owner),
      let last = try? rows.objects(max(0, rows.count - 2)..<rows.count)
    else { return false }
    guard let other = last.last(where: { $0 != own.uuid }), let key = key(of: other, back, places) else { return true }
    return key.lexicographicallyPrecedes(place)
  }
}
