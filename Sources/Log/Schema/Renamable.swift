import RepriseObjectModel

/// What has a name, and may have had others: in the models an entity or a property, in the store as well.
package protocol Renamable {
  var name: String { get }
  /// Of a model: what it says. Of the store: what the log says, oldest first.
  var formerNames: [String] { get }
}

extension Entity: Renamable {}
extension Property: Renamable {}
extension StoredEntity: StoredName {}
extension StoredProperty: StoredName {}

/// What a store has under a name, and under other names before.
package protocol StoredName: Renamable {
  var name: String { get set }
  var formerNames: [String] { get set }
}

extension StoredName {
  package mutating func rename(to next: String) {
    if name != next, !name.isEmpty { formerNames = formerNames.filter { $0 != next && $0 != name } + [name] }
    name = next
  }

  /// Forgets the names between the one that it had before and the present one.
  package mutating func keepNames(of before: Self) {
    let last = name
    (name, formerNames) = (before.name, before.formerNames)
    rename(to: last)
  }
}

extension Array where Element: Renamable {
  /// The place of what a declared name stands for in a store; `nil` if the store has nothing of the kind.
  ///
  /// A declaration with former names is looked for by these first, as its name may be that of something else still: two
  /// names may be exchanged, or one be given to a new property. What had its name taken by such a declaration is not
  /// found by it. At last comes what *had* the name, and has another one that no declaration knows: the models are
  /// older than the store.
  ///
  /// - Parameter all: What is declared beside it.
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

  /// What has one of the former names of a declaration still: nothing if it was renamed already, to the declared name
  /// or, by a newer program, beyond it. Whatever has the former name then is something else.
  private func placeToRename(for declared: some Renamable) -> Int? {
    if declared.formerNames.isEmpty { return nil }
    let isDone = contains { stored in
      // What was converted since has no name any more, and what has its name now may still be renamed.
      !stored.name.isEmpty && (stored.name == declared.name || stored.formerNames.contains(declared.name))
        && stored.formerNames.contains(where: declared.formerNames.contains)
    }
    if isDone { return nil }
    for name in declared.formerNames {
      if let place = firstIndex(where: { $0.name == name }) { return place }
    }
    return nil
  }

  /// A declared name that has come to mean something else: what had it is declared by no one who knows of that.
  ///
  /// Whoever declares what has the name now would read it as what it was. So a program that knows both says so: what
  /// had the name is declared with it as a former one.
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
    // What had the name is not told where several had it in turn.
    for name in declared.map(\.name) where !contains(where: { $0.name == name }) {
      let had = filter { !$0.name.isEmpty && $0.formerNames.contains(name) }
      if had.count > 1 { return (name, had[0].name) }
    }
    return nil
  }
}
