import RepriseEventStore
import RepriseObjectModel

extension PersistentModel {
  /// How the object differs from what lies below its context, the log or the parent, by the uncommitted changes of the
  /// context: attributes and to-ones, in the order of the model. Of an inserted object the values that it has, from
  /// null; of a deleted one the values that it had, to null. Empty of an object in no context, or that cannot be read.
  ///
  /// Costs a reading of the object.
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
    guard overlay.changes.contains(storage.id) || frozen?.changes.contains(storage.id) ?? false,
      let map = store.map.map(storage.entity.interned), let below = try? readingBelow(of: storage.id, map),
      let now = try? reading(of: storage.id, map)
    else { return [] }
    return storage.entity.declaredProperties.indices.compactMap { slot in
      let (old, new) = (below.values?[slot] ?? .null, now.values?[slot] ?? .null)
      if old.isIdentical(to: new) { return nil }
      return PropertyDifference(
        property: storage.entity.properties[slot].name, form: .value(from: old, to: new))
    }
  }
}
