import RepriseEventStore
import RepriseObjectModel

extension PersistentModel {
  /// How the object differs from what lies below its context, the log or the parent, by the uncommitted changes of the
  /// context, in the order of the model. Of an inserted object the values that it has, from null; of a deleted one the
  /// values that it had, to null. Of a to-many the objects that came and went; both are empty where only the order
  /// changed. Empty of an object in no context, or that cannot be read.
  ///
  /// Costs a reading of the object and, for its to-manies, of the objects whose references to it have changed; where
  /// they have an order, of all with uncommitted changes at the other end.
  public var pendingChanges: [PropertyDifference] {
    guard let context = context as? EditingContext else { return [] }
    return context.pendingChanges(of: _storage)
  }

  /// The names of the properties that differ, as ``pendingChanges`` tells.
  public var changedProperties: [String] { pendingChanges.map(\.property) }

  /// The value of an attribute or a to-one without the uncommitted changes of the object's context: that in the log, or
  /// in the parent. Null if the object is not there.
  ///
  /// - Throws: ``PropertyError``, like reading by name.
  public func committedValue(of name: String) throws -> PropertyValue {
    let present = try self[name]
    guard context is EditingContext else { return .null }
    for change in pendingChanges where change.property == name {
      if case .value(let old, _) = change.form { return old }
    }
    return present
  }
}

extension EditingContext {
  fileprivate func pendingChanges(of storage: ObjectStorage) -> [PropertyDifference] {
    guard !overlay.isEmpty || !(frozen?.isEmpty ?? true), let map = store.map.map(storage.entity.interned),
      let below = try? readingBelow(of: storage.id, map), let now = try? reading(of: storage.id, map)
    else { return [] }
    return storage.entity.declaredProperties.enumerated().compactMap { slot, property in
      let form =
        if let end = store.map.schema.relationship(slot, of: storage.entity), !end.stores {
          try? form(of: end, storage)
        } else {
          Self.form(below.values?[slot] ?? .null, now.values?[slot] ?? .null)
        }
      return form.map { PropertyDifference(property: property.name, form: $0) }
    }
  }

  private static func form(_ old: PropertyValue, _ new: PropertyValue) -> PropertyDifference.Form? {
    old.isIdentical(to: new) ? nil : .value(from: old, to: new)
  }

  /// How the members of a relationship differ that is stored at the other end.
  private func form(
    of end: ResolvedSchema.Relationship, _ storage: ObjectStorage
  ) throws(StoreError) -> PropertyDifference.Form? {
    guard let map = store.map.map(end.target.interned) else { return nil }
    let changed = [overlay, frozen].compactMap { $0 }.reduce(into: Set<AnyObjectID>()) { changed, overlay in
      if end.places != nil {
        // Of one that was moved only its place has changed.
        return changed.formUnion(overlay.changes.objects(of: end.target.interned))
      }
      let reference = Overlay.Reference(entity: end.target.interned, slot: end.inverseSlot, target: storage.uuid)
      changed.formUnion(overlay.referrers(reference).lazy.map { AnyObjectID(end.target.interned, $0) })
    }
    var (added, removed): ([AnyObjectID], [AnyObjectID]) = ([], [])
    var isMoved = false
    for id in changed.sorted() {
      let (old, new) = (try readingBelow(of: id, map).values, try reading(of: id, map).values)
      let before = old.flatMap { $0[end.inverseSlot].reference == storage.id ? $0 : nil }
      let after = new.flatMap { $0[end.inverseSlot].reference == storage.id ? $0 : nil }
      func member(_ values: ContiguousArray<PropertyValue>) -> AnyObjectID {
        end.far.flatMap { values[$0.slot].reference } ?? id
      }
      switch (before, after) {
      case (nil, let after?): added.append(member(after))
      case (let before?, nil): removed.append(member(before))
      case (let before?, let after?):
        if let place = end.places?.slot, !before[place].isIdentical(to: after[place]) { isMoved = true }
      case (nil, nil): break
      }
    }
    if !end.isToMany {
      return Self.form(
        removed.first.map { .reference($0) } ?? .null, added.first.map { .reference($0) } ?? .null)
    }
    if added.isEmpty && removed.isEmpty && !isMoved { return nil }
    return .members(added: added.sorted(), removed: removed.sorted())
  }
}
