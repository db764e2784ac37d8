import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The rules of the models that a save would break now, or an empty array if there are none.
  ///
  /// Includes the rules of attributes, unique values that another object has, the limits of relationships, and the
  /// findings of ``ValidatableModel/validate(_:)``. A unique value conflicts with saved objects and with these changes.
  /// For a child, the rules are checked in its parent.
  ///
  /// Rules are not checked while editing, so a broken rule may be temporary. For example, two objects can exchange a
  /// unique value. Only changed objects and properties are checked. Use ``ObjectContext/violations(of:limit:)`` for
  /// stored objects.
  ///
  /// Costs time in proportion to the uncommitted changes, and O(log n) for each changed unique value.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func violations() throws -> [RuleViolation] {
    if overlay.isEmpty { return [] }
    let outcome = try merge(validating(Merging()))
    return outcome.violations + violations(among: outcome.unvalidated)
  }

  /// The reasons for which a save would throw now, except conflicts. `nil` if there are none.
  package func refusal() throws(StoreError) -> SaveRefusal? {
    if overlay.isEmpty { return nil }
    let outcome = try merge(validating(Merging()))
    return SaveRefusal(
      of: .save, [], outcome.violations + violations(among: outcome.unvalidated), outcome.invalidValues)
  }

  /// The merging of a save that validates objects, if the models have rules for whole objects.
  func validating(_ merging: Merging) -> Merging {
    guard store.map.validates else { return merging }
    var merging = merging
    merging.validated = ObjectMap()
    return merging
  }

  /// The broken rules of objects with these values, which this context may not show.
  func violations(
    among objects: [(object: AnyObjectID, values: ContiguousArray<PropertyValue>)]
  ) -> [RuleViolation] {
    objects.flatMap { id, values -> [RuleViolation] in
      guard let map = store.map.map(id.name), let validation = map.entity.validation else { return [] }
      // The instance itself, because a rule may compare it with another one.
      let object = materialize(id, map)
      let storage = object._storage
      storage.fill(values, as: isInserted(id) ? .inserted : .live)
      defer { storage.makeFault() }
      return validation(object)
    }
  }
}
