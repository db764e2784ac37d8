import RepriseObjectModel

/// A declaration with a name and former names: an entity or a property of the models or of the store.
package protocol Renamable {
  var name: String { get }
  /// In a model: the declared former names. In the store: the former names in the log, oldest first.
  var formerNames: [String] { get }
}

extension Entity: Renamable {}
extension Property: Renamable {}
extension StoredEntity: StoredName {}
extension StoredProperty: StoredName {}

/// An entity or a property of a store, with its name and former names.
package protocol StoredName: Renamable {
  var name: String { get set }
  var formerNames: [String] { get set }
}

extension StoredName {
  package mutating func rename(to next: String) {
    if name != next, !name.isEmpty { formerNames = formerNames.filter { $0 != next && $0 != name } + [name] }
    name = next
  }

  /// Keeps the names of `before` and the present name, and forgets the names in between.
  package mutating func keepNames(of before: Self) {
    let last = name
    (name, formerNames) = (before.name, before.formerNames)
    rename(to: last)
  }
}

extension Array where Element: Renamable {
  /// The place of a declared entity or property in a store. `nil` if the store does not have it.
  ///
  /// A declaration with former names is first looked up by these. Its present name may still belong to another
  /// property, because two names may be swapped, or a new property may take the name. A property whose name is claimed
  /// in this way is not found by this name. Last, a property is found that *had* the declared name, if no declaration
  /// has its present name. Then the models are older than the store.
  ///
  /// - Parameter all: All declarations of the models.
  func place<Declared: Renamable>(of declared: Declared, among all: [Declared]) -> Int? {
    let own = firstIndex { $0.name == declared.name }
    if declared.formerNames.isEmpty {
      if let own, !all.contains(where: { !$0.formerNames.isEmpty && placeToRename(for: $0) == own }) { return own }
    } else if let place = placeToRename(for: declared) ?? own {
      return place
    }
    return firstIndex { stored in
      !stored.name.isEmpty && stored.formerNames.contains(declared.name) && !all.contains { $0.name == stored.name }
    }
  }

  /// The property that still has one of the former names of a declaration. `nil` if the rename has happened already: to
  /// the declared name or, by a newer program, to a later one. Then another property has the former name.
  private func placeToRename(for declared: some Renamable) -> Int? {
    if declared.formerNames.isEmpty { return nil }
    let isDone = contains { stored in
      // A converted property has no name. The property that has its name now may still be renamed.
      !stored.name.isEmpty && (stored.name == declared.name || stored.formerNames.contains(declared.name))
        && stored.formerNames.contains(where: declared.formerNames.contains)
    }
    if isDone { return nil }
    for name in declared.formerNames {
      if let place = firstIndex(where: { $0.name == name }) { return place }
    }
    return nil
  }

  /// A declared name that has a new meaning in the store: no declaration knows the property that had the name before.
  ///
  /// A program that does not know the rename would read the new property as the old one. A program that knows both
  /// declares the name as a former name of the old property.
  func movedName<Declared: Renamable>(of declared: [Declared]) -> (name: String, now: String)? {
    for (place, stored) in enumerated() where !stored.formerNames.isEmpty && !stored.name.isEmpty {
      for name in stored.formerNames where contains(where: { $0.name == name }) && name != stored.name {
        guard declared.contains(where: { $0.name == name }) else { continue }
        let isKnown = declared.contains {
          $0.formerNames.contains(name) && self.place(of: $0, among: declared) == place
        }
        if !isKnown { return (name, stored.name) }
      }
    }
    // If several properties had the name in turn, it is unknown which one is meant.
    for name in declared.map(\.name) where !contains(where: { $0.name == name }) {
      let had = filter { !$0.name.isEmpty && $0.formerNames.contains(name) }
      if had.count > 1 { return (name, had[0].name) }
    }
    return nil
  }
}
