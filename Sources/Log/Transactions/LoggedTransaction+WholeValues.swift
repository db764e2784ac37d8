import RepriseObjectModel

extension LoggedTransaction {
  /// Whether the transaction has splices: changes of parts of values.
  package var hasSplices: Bool {
    changes.contains { change in
      change.properties.contains { difference in
        switch difference.form {
        case .text, .bytes: true
        case .value, .members, .erased: false
        }
      }
    }
  }

  /// The transaction with whole values instead of splices, for the objects of one entity.
  ///
  /// - Parameter values: The values of an object before and after.
  package func whole(
    _ values: (AnyObjectID) -> (before: ContiguousArray<PropertyValue>?, after: ContiguousArray<PropertyValue>?),
    slot: (String) -> Int?
  ) -> Self {
    let changes = changes.map { change in
      guard case (let before?, let after?) = values(change.object) else { return change }
      return Change(
        object: change.object, kind: change.kind,
        properties: change.properties.map { difference in
          switch difference.form {
          case .text, .bytes:
            // For a property that was converted since, both are the new attribute's default.
            guard let slot = slot(difference.property), !before[slot].isIdentical(to: after[slot]) else {
              return difference
            }
            return PropertyDifference(
              property: difference.property, form: .value(from: before[slot], to: after[slot]))
          case .value, .members, .erased: return difference
          }
        })
    }
    return Self(
      id: id, token: token, base: base, microseconds: microseconds, author: author, contextName: contextName,
      name: name, metadata: metadata, undoes: undoes, supersedes: supersedes, changes: changes)
  }
}
