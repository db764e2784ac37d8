import RepriseEventStore
import RepriseObjectModel

extension PersistentModel {
  /// The object's uncommitted changes, as differences from the log or the parent context, in the order of the model.
  ///
  /// An inserted object has a difference from null for each value, and a deleted object one to null for each value. For
  /// a to-many relationship, the difference contains the added and removed objects. Both are empty if only the order
  /// changed. The array is empty if the object is detached, read-only or unreadable.
  ///
  /// Costs one reading of the object. Each to-many relationship also costs a reading of the objects whose references to
  /// this object changed. For an ordered one, it reads all objects of the other model with uncommitted changes.
  public var pendingChanges: [PropertyDifference] {
    guard let context = context as? EditingContext else { return [] }
    return context.pendingChanges(of: _storage)
  }

  /// The names of the properties in ``pendingChanges``.
  public var changedProperties: [String] { pendingChanges.map(\.property) }

  /// The value of an attribute or to-one relationship in the log or the parent context, without uncommitted changes.
  ///
  /// In a read-only context, it is the value that the context shows. It is null if the object does not exist there, or
  /// is detached.
  ///
  /// - Throws: ``PropertyError``, like reading by name.
  public func committedValue(of name: String) throws -> PropertyValue {
    let present = try self[name]
    guard context != nil else { return .null }
    for change in pendingChanges where change.property == name {
      if case .value(let old, _) = change.form { return old }
    }
    return state == .deleted ? .null : present
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

  /// How the members of a relationship differ, if the other end stores the references.
  private func form(
    of end: ResolvedSchema.Relationship, _ storage: ObjectStorage
  ) throws(StoreError) -> PropertyDifference.Form? {
    guard let map = store.map.map(end.target.interned) else { return nil }
    let changed = [overlay, frozen].compactMap { $0 }.reduce(into: Set<AnyObjectID>()) { changed, overlay in
      if end.places != nil {
        // If a member was only moved, its reference has not changed, so all changed objects of the entity are compared.
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
