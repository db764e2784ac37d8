/// The definitions of kinds, by name.
///
/// Searched linearly, because a program has some tens of kinds, and one more type of dictionary would cost each start
/// more.
final class KindRegistry {
  private struct Kind {
    let name: String
    let definition: any KindDefinition
  }

  private var kinds: [Kind] = []

  subscript(name: String) -> (any KindDefinition)? {
    for kind in kinds where kind.name == name { return kind.definition }
    return nil
  }

  func add(_ name: String, _ definition: any KindDefinition) throws(RestorationError) {
    guard !name.isEmpty else { throw .invalidID(name, reason: "a kind must have a name") }
    if let first = self[name] { throw .duplicate(id: name, first: first.site, second: definition.site) }
    if definition.needs.count(where: \.isOwnContext) > 1 {
      throw .invalidDefinition(
        kind: name, reason: "its `needs` have several own contexts, but a screen can have only one")
    }
    for key in definition.needs.compactMap(\.nodeKey) {
      let own: Any.Type = definition.stateType ?? RestorationDecoder.self
      guard let type = key.stateType, type != own else { continue }
      throw .invalidDefinition(
        kind: name, reason: "a closure in its `needs` has a parameter of the type \(type) instead of \(own)")
    }
    if let flaw = definition.versions.flaw { throw .invalidDefinition(kind: name, reason: flaw) }
    kinds.append(Kind(name: name, definition: definition))
  }
}
