/// How nodes are made, by the names of their kinds.
///
/// Searched from the front: a program has some tens of kinds, and to make the type of a dictionary costs a start more.
struct KindRegistry {
  private struct Kind {
    let name: String
    let definition: any KindDefinition
  }

  private var kinds: [Kind] = []

  subscript(name: String) -> (any KindDefinition)? {
    for kind in kinds where kind.name == name { return kind.definition }
    return nil
  }

  mutating func add(_ name: String, _ definition: any KindDefinition) {
    kinds.append(Kind(name: name, definition: definition))
  }
}
