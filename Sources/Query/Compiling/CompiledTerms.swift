import RepriseObjectModel

/// Terms whose values a fetch returns instead of objects.
package struct CompiledTerms: Hashable, Sendable {
  private let terms: [CompiledTerm]

  package init(_ terms: [Term], of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    var compiled: [CompiledTerm] = []
    for term in terms { compiled.append(try CompiledTerm(term, of: entity, in: schema)) }
    self.terms = compiled
  }

  /// The object's own properties that the terms read.
  package var slots: SlotSet { terms.reduce(into: []) { $0.formUnion($1.ownSlots) } }

  /// The values of the terms for an object. Null if a reference on the path is missing.
  package func values(
    of values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource
  ) -> ContiguousArray<PropertyValue> {
    var found: ContiguousArray<PropertyValue> = []
    found.reserveCapacity(terms.count)
    append(valuesOf: values, id: id, source: source, to: &found)
    return found
  }

  /// Appends the values of the terms for another object.
  package func append(
    valuesOf values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource,
    to found: inout ContiguousArray<PropertyValue>
  ) {
    for term in terms { found.append(term.value(values, id, source)) }
  }
}
