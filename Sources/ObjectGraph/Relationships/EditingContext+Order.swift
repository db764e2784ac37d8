import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Puts an object before the member at a position of an ordered relationship.
  func insertMember(
    _ object: any PersistentModel, at position: Int, into end: ResolvedSchema.Relationship,
    _ places: ResolvedSchema.Relationship.Places, of storage: ObjectStorage
  ) {
    group(nil) {
      if !contains(object, at: end.slot, of: storage) {
        // This puts the object last. For the last position, no look-up is needed.
        insertMember(object, into: end, of: storage)
        if position == .max { return }
      }
      guard let own = self.position(of: object, end.slot, of: storage),
        let count = askRows(end, of: storage, { rows in rows.count })
      else { return }
      let destination = min(max(0, position), count)
      if destination == own || destination == own + 1 { return }
      place(own, before: destination, among: count, end, places, of: storage)
    }
  }

  /// Inserts objects between two members of an ordered relationship. The neighbours are known, so no position is looked
  /// up. A look-up would cost a step for each pending change. False if there is no room for so many objects.
  func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into end: ResolvedSchema.Relationship, _ places: ResolvedSchema.Relationship.Places, of storage: ObjectStorage
  ) -> Bool {
    func row(_ object: any PersistentModel) -> UniqueID { rowObject(object._storage, end, of: storage).uuid }
    let beside = [lower, upper].map { $0.map { key(of: row($0), end, places) } }
    // Members without a place stand first, and nothing comes between them.
    if beside.contains(.some(nil)) { return false }
    guard let keys = Place.keys(objects.count, beside[0] ?? nil, beside[1] ?? nil) else { return false }
    group(nil) {
      for (object, key) in zip(objects, keys) {
        if !contains(object, at: end.slot, of: storage) { insertMember(object, into: end, of: storage) }
        setPlace(key, of: row(object), end, places)
      }
    }
    return true
  }

  /// Gives the member at position `own` a place before the member at `destination`.
  private func place(
    _ own: Int, before destination: Int, among count: Int, _ end: ResolvedSchema.Relationship,
    _ places: ResolvedSchema.Relationship.Places, of storage: ObjectStorage
  ) {
    // Positions among the remaining members, as if the moved one were removed.
    let destination = destination > own ? destination - 1 : destination
    func others(_ range: Range<Int>) -> [UniqueID] {
      askRows(end, of: storage) { (rows) throws(IndexSnapshot.Failure) in
        let behind = range.clamped(to: own..<max(own, count - 1))
        return try rows.objects(range.clamped(to: 0..<own))
          + rows.objects(behind.lowerBound + 1..<behind.upperBound + 1)
      } ?? []
    }
    guard
      let uuid = askRows(end, of: storage, { (rows) throws(IndexSnapshot.Failure) in try rows.object(at: own) })
        .flatMap({ $0 })
    else { return }
    let lowest = max(0, destination - 1)
    let beside = others(lowest..<min(count - 1, destination + 1)).map { key(of: $0, end, places) }
    let lower = destination > 0 ? beside.first.flatMap { $0 } : nil
    let upper = destination < count - 1 ? beside.last.flatMap { $0 } : nil
    // Members without a place stand first, and nothing comes between them.
    let isUnplaced = destination < count - 1 && upper == nil
    let current = key(of: uuid, end, places).map { PropertyValue.bytes($0) } ?? .null
    let below = placeBelow(of: AnyObjectID(end.target.interned, uuid), end.inverseSlot, places, now: current)
    let isBack = below.map { Place.isIn($0, lower, upper) } ?? false
    if !isUnplaced, let key = isBack ? below : Place.between(lower, upper) {
      setPlace(key, of: uuid, end, places)
      return
    }
    // There is no room. The members around it get new places, as many as necessary.
    var reach = 16
    while true {
      let from = isUnplaced ? 0 : max(0, destination - reach)
      let to = min(count - 1, destination + reach)
      var around = others(from..<to)
      around.insert(uuid, at: min(around.count, destination - from))
      let before = from > 0 ? others(from - 1..<from).first.flatMap { key(of: $0, end, places) } : nil
      let behind = to < count - 1 ? others(to..<to + 1).first.flatMap { key(of: $0, end, places) } : nil
      let isOpen = to == count - 1 || behind != nil
      if isOpen, let keys = Place.spread(around.count, before, behind) {
        for (uuid, key) in zip(around, keys) { setPlace(key, of: uuid, end, places) }
        return
      }
      // Only keys whose bits are all 1 leave no room in the whole list.
      if from == 0, to == count - 1 { return }
      reach *= 2
    }
  }

  func key(
    of uuid: UniqueID, _ end: ResolvedSchema.Relationship, _ places: ResolvedSchema.Relationship.Places
  ) -> [UInt8]? {
    guard let map = store.map.map(end.target.interned) else { return nil }
    if case .bytes(let key)? = readingToChange(of: AnyObjectID(end.target.interned, uuid), map)?.values?[places.slot] {
      return key
    }
    return nil
  }

  private func setPlace(
    _ key: [UInt8], of uuid: UniqueID, _ end: ResolvedSchema.Relationship,
    _ places: ResolvedSchema.Relationship.Places
  ) {
    let id = AnyObjectID(end.target.interned, uuid)
    guard let map = store.map.map(id.name), let old = readingToChange(of: id, map)?.values?[places.slot],
      !old.isIdentical(to: .bytes(key))
    else { return }
    change(id, places.slot, from: old, to: .bytes(key))
  }

  /// Records the change of a property of an object, live or not.
  func change(_ id: AnyObjectID, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
    if let live = liveInstance(of: id) {
      live._storage.prepareValues()
      record(live._storage, slot, from: old, to: new)
    } else {
      record(id, .updated([PropertyChange(slot: slot, old: old, new: new)]))
    }
  }
}
