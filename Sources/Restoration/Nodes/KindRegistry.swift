/// The definitions of kinds, by name.
///
/// Searched linearly, because a program has some tens of kinds, and one more type of dictionary would cost each start
/// more.
@MainActor final class KindRegistry {
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
      throw .invalidDefinition(kind: name, reason: "it needs several own contexts, but a screen can have one")
    }
    for key in definition.needs.compactMap(\.nodeKey) {
      guard let type = key.stateType, type != definition.stateType ?? RestorationDecoder.self else { continue }
      throw .invalidDefinition(
        kind: name,
        reason:
          "a closure in its `needs` takes a state of the type \(type), but its screens have states of another type")
    }
    if let flaw = definition.versions.flaw { throw .invalidDefinition(kind: name, reason: flaw) }
    kinds.append(Kind(name: name, definition: definition))
  }
}
