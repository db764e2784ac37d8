import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// Returns the rules that objects of a fetch break in this context, whether or not the objects have changed.
  ///
  /// Use this method for objects stored before a rule was declared, or by programs without the rule. The method checks
  /// the rules of attributes, the limits of relationships, and ``ValidatableModel/validate(_:)``. The result also
  /// contains stored derived attributes that differ from their computed values. Unique values are not checked, because
  /// no store contains duplicates.
  ///
  /// Reads all objects of the fetch. If relationships have limits, their members are counted too.
  ///
  /// - Parameters:
  ///   - fetch: The objects to check.
  ///   - limit: The largest number of violations to return.
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or something cannot be read.
  public func violations<Model: PersistentModel>(
    of fetch: Fetch<Model>, limit: Int = 1_000
  ) throws -> [RuleViolation] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    if limit <= 0 { return [] }
    let ends = store.map.schema.relationships(of: map.entity).filter { $0.limits != 0...Int.max }
    let looksAtObjects = !ends.isEmpty || map.entity.validation != nil
    let view = projection
    var ids: [UniqueID] = []
    var found: [RuleViolation] = []
    try view.forEachMatch(compiled, map, reading: SlotSet(map.entity.declaredProperties.indices)) { id, values in
      guard found.count < limit else { return }
      if looksAtObjects { ids.append(id.uuid) }
      for slot in map.entity.ruledSlots { found += map.entity.violations(of: values[slot], at: slot, id) }
      if !map.entity.derives { return }
      var computed = values
      map.entity.derive(&computed, of: id.uuid)
      for slot in map.entity.derivedSlots where !computed[slot].isIdentical(to: values[slot]) {
        found.append(
          RuleViolation(
            object: id, properties: [map.entity.properties[slot].name], values: [values[slot]],
            rule: .derived(computed[slot]), types: ValueTypes([map.entity.properties[slot].type])))
      }
    }
    for uuid in ids where found.count < limit {
      let object = try self.object(AnyObjectID(map.entity.interned, uuid))
      for end in ends { if let violation = violation(of: end, by: object._storage) { found.append(violation) } }
      found += map.entity.validation?(object) ?? []
    }
    return Array(found.prefix(limit))
  }

  /// How an object breaks the limits of a relationship.
  private func violation(of end: ResolvedSchema.Relationship, by storage: ObjectStorage) -> RuleViolation? {
    let name = storage.entity.properties[end.slot].name
    if !end.isToMany {
      guard end.limits.lowerBound > 0, storage.shown(end.slot).isNull else { return nil }
      return RuleViolation(object: storage.id, properties: [name], values: [.null], rule: .required)
    }
    let count = toManyCount(end.slot, of: storage)
    if end.limits.contains(count) { return nil }
    return RuleViolation(
      object: storage.id, properties: [name], values: [.int(Int64(count))],
      rule: count < end.limits.lowerBound ? .minimum(end.limits.lowerBound) : .maximum(end.limits.upperBound))
  }
}
