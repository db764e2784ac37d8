import RepriseObjectModel

/// An assignment with its names resolved.
package struct CompiledAssignment: Hashable, Sendable {
  package let slot: Int
  private let operation: AssignmentOperation

  package init<Model: PersistentModel>(_ assignment: Assignment<Model>, in schema: ResolvedSchema) throws(FetchError) {
    let term = try CompiledTerm(assignment.term, of: Model.entity, in: schema)
    guard let slot = term.ownAttribute ?? term.ownReference else {
      throw .notAssignable(assignment.term.description)
    }
    // The value of a derived attribute is computed from other attributes.
    if Model.entity.derivedSlots.contains(slot) { throw .notAssignable(assignment.term.description) }
    self.slot = slot
    operation = assignment.operation
  }

  /// The object that it assigns to a to-one relationship.
  package var target: AnyObjectID? { if case .set(let value) = operation { value.reference } else { nil } }

  /// The new value. `nil` if a sum of integers does not fit into 64 bits.
  package func value(after old: PropertyValue) -> PropertyValue? {
    switch (operation, old) {
    case (.set(let value), _): return value
    case (.increase, .null): return .null
    case (.increase(.double(let number)), .double(let old)): return .double(old + number)
    case (.increase(.int(let number)), .int(let old)):
      let (sum, isOver) = old.addingReportingOverflow(number)
      return isOver ? nil : .int(sum)
    case (.increase(.unsigned(let number)), .unsigned(let old)):
      let (sum, isOver) = old.addingReportingOverflow(number)
      return isOver ? nil : .unsigned(sum)
    // The field has another type than the attribute. The save will refuse the value.
    case (.increase(let number), _): return number
    }
  }
}
