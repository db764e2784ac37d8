import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The rules of the models that a save would break now, so that it would be refused: those of attributes, values that
  /// must be unique and that other objects have, in the log or among these changes, limits of relationships, and what
  /// ``ValidatedModel/validate(_:)`` finds; for a child, in its parent. Empty if it breaks none.
  ///
  /// Nothing is checked while editing: a value may be taken for a while, as when two objects exchange theirs. Costs the
  /// uncommitted changes, and O(log n) for each change of a unique value. Only what is changed is checked; see
  /// ``ObjectContext/violations(of:limit:)`` for what is stored.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func violations() throws -> [RuleViolation] {
    if overlay.isEmpty { return [] }
    let outcome = try merge(validating(Merging()))
    return outcome.violations + violations(among: outcome.unvalidated)
  }

  /// What a save would be refused for now, besides conflicts; `nil` if it is nothing.
  package func refusal() throws(StoreError) -> SaveError? {
    if overlay.isEmpty { return nil }
    let outcome = try merge(validating(Merging()))
    return .refusal([], outcome.violations + violations(among: outcome.unvalidated), outcome.invalidValues)
  }

  /// How a save merges that asks for what has to be validated, if its models have objects with rules of their own.
  func validating(_ merging: Merging) -> Merging {
    guard store.map.validates else { return merging }
    var merging = merging
    merging.validated = ObjectMap()
    return merging
  }

  /// What objects find wrong with themselves when they have these values, which this context may not show.
  func violations(
    among objects: [(object: AnyObjectID, values: ContiguousArray<PropertyValue>)]
  ) -> [RuleViolation] {
    objects.flatMap { id, values -> [RuleViolation] in
      guard let map = store.map.map(id.name), let validation = map.entity.validation else { return [] }
      // The instance itself: it may be compared with others.
      let object = materialize(id, map)
      let storage = object._storage
      storage.fill(values, as: isInserted(id) ? .inserted : .live)
      defer { storage.makeFault() }
      return validation(object)
    }
  }
}
