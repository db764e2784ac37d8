import RepriseObjectModel

extension StoredSchema {
  /// The version of the words of a search index that only a newer version of ``SearchWords`` finds. `nil` if there is
  /// none.
  package var newerWords: UInt32? {
    for entity in entities {
      for property in entity.properties {
        if case .words(_, let version) = property.role, version > SearchWords.version { return version }
      }
    }
    return nil
  }

  /// The reason why a program with these models must stop using the store, or `nil`.
  func refusal(of models: ResolvedSchema, _ match: SchemaMatch) -> StoreError? {
    if models.version < oldestVersion {
      return .migration(
        .outdatedProgram(version: models.version, oldest: Int(oldestVersion), stored: Int(version)))
    }
    if let moved = entities.movedName(of: models.entities) {
      return .renamedByNewerProgram(moved.name, entity: nil, now: moved.now)
    }
    for (place, entity) in models.entities.enumerated() {
      guard let known = match.stored(place, self) else { continue }
      if known.properties.contains(where: { !$0.formerNames.isEmpty }) {
        // An index is not found by its name.
        let stored = known.properties.filter { !$0.role.isIndex }
        if let moved = stored.movedName(of: entity.properties.filter { !$0.isIndex }) {
          return .renamedByNewerProgram(moved.name, entity: entity.name, now: moved.now)
        }
      }
      // A property that a newer program has converted has its old name. That program's plan may let this program
      // continue.
      for (slot, property) in entity.properties.enumerated() {
        guard let attribute = property.attribute, let found = match.property(place, slot),
          case .attribute(let kind, _) = known.properties[found].role, kind != attribute.kind
        else { continue }
        return .incompatible(
          entity: entity.name, property: property.name, stored: known.properties[found].role.text,
          model: StoredProperty.Role.attribute(attribute.kind, isOptional: attribute.isOptional).text)
      }
    }
    return nil
  }

  /// Why a running program must stop after a migration removed properties of its models, even if the plan allows older
  /// programs. `nil` if it may continue. A program that opens the store later may declare them again.
  func retirement(of models: ResolvedSchema, _ match: SchemaMatch) -> StoreError? {
    for (place, entity) in models.entities.enumerated() {
      let isGone: Bool
      if let known = match.stored(place, self) {
        isGone = entity.properties.indices.contains { slot in
          match.property(place, slot) == nil
            && known.properties.contains { $0.name.isEmpty && $0.formerNames.contains(entity.properties[slot].name) }
        }
      } else {
        isGone = entities.contains { $0.name.isEmpty && $0.formerNames.contains(entity.name) }
      }
      if !isGone { continue }
      return .migration(
        .outdatedProgram(version: models.version, oldest: models.version + 1, stored: Int(version)))
    }
    return nil
  }
}
