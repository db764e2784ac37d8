import RepriseLog
import RepriseObjectModel

/// A rename of an earlier version, for the steps of a ``Migration``.
///
/// A rename that the models declare with `was:` needs no migration. But a step of a plan uses the names from the time
/// when you wrote it. A store that was never opened with the renamed models still has the former name. A migration
/// renames first, so that its other steps find their subjects. It skips renames that the store has already.
///
/// ```swift
/// Migration(
///   to: 3, "Cards are payments", renaming: [.property("title", of: "Card", to: "name")],
///   mapping: [.move("Card", to: "Pay")])
/// ```
public struct Rename: Equatable, Sendable {
  enum Subject: Equatable {
    case entity
    case property(String)
  }

  /// The name in the store. The former name if the entity is renamed.
  let entity: String
  let subject: Subject
  let new: String

  /// A rename of an entity.
  ///
  /// - Parameters:
  ///   - entity: The former name. If the store has an entity of the new name, nothing is renamed.
  ///   - new: The name that later steps of the plan use.
  public static func entity(_ entity: String, to new: String) -> Rename {
    Rename(entity: entity, subject: .entity, new: new)
  }

  /// A rename of an attribute or a relationship.
  ///
  /// - Parameters:
  ///   - property: The former name. If the entity has a property of the new name, nothing is renamed.
  ///   - entity: The entity's name in the store at that time.
  ///   - new: The name that later steps of the plan use.
  public static func property(_ property: String, of entity: String, to new: String) -> Rename {
    Rename(entity: entity, subject: .property(property), new: new)
  }
}

extension Rename: CustomStringConvertible {
  /// The rename as text, for example "Card to Pay" or "Card.title to name".
  public var description: String {
    switch subject {
    case .entity: "\(entity) to \(new)"
    case .property(let property): "\(entity).\(property) to \(new)"
    }
  }
}

extension StoredSchema {
  /// Whether the store has the subject of a rename, under either name.
  func has(_ rename: Rename, in models: ResolvedSchema) -> Bool {
    switch rename.subject {
    case .entity: return entity(named: rename.entity) != nil || entity(named: rename.new) != nil
    case .property(let old):
      guard let entity = entity(everNamed: rename.entity, in: models) else { return false }
      return entity.property(named: old) != nil || entity.property(named: rename.new) != nil
    }
  }

  /// Carries out the renames of a migration that the store has not had.
  mutating func carryOut(_ renames: [Rename], in models: ResolvedSchema) {
    let before = self
    for rename in renames { carryOut(rename, in: models) }
    // Transactions in the log have the name before and the name after, but none in between.
    for place in entities.indices {
      guard let old = before.entity(number: entities[place].number) else { continue }
      entities[place].keepNames(of: old)
      for slot in entities[place].properties.indices {
        guard let property = old.property(number: entities[place].properties[slot].number) else { continue }
        entities[place].properties[slot].keepNames(of: property)
      }
    }
  }

  private mutating func carryOut(_ rename: Rename, in models: ResolvedSchema) {
    let known: StoredEntity? =
      switch rename.subject {
      case .entity: entity(named: rename.new) == nil ? entity(named: rename.entity) : nil
      case .property: entity(everNamed: rename.entity, in: models)
      }
    guard let known, let place = entities.firstIndex(where: { $0.number == known.number }) else { return }
    // The links of a many-to-many are named after its owner.
    let links = known.properties.compactMap { property -> (number: UInt32, end: UInt32)? in
      guard let target = property.role.end?.target,
        entity(number: target)?.name == Link.name(known.name, property.name)
      else { return nil }
      return (target, property.number)
    }
    switch rename.subject {
    case .entity: entities[place].rename(to: rename.new)
    case .property(let old): entities[place].rename(old, to: rename.new)
    }
    for link in links {
      guard let end = entities[place].property(number: link.end),
        let renamed = entities.firstIndex(where: { $0.number == link.number })
      else { continue }
      entities[renamed].rename(to: Link.name(entities[place].name, end.name))
    }
  }
}

extension StoredEntity {
  /// Renames a property, and the properties named after it.
  fileprivate mutating func rename(_ old: String, to new: String) {
    if property(named: old) == nil || property(named: new) != nil { return }
    for name in [{ $0 }, Property.nameOfPlaces, Property.mirrorName] as [(String) -> String] {
      guard let place = properties.firstIndex(where: { $0.name == name(old) }) else { continue }
      properties[place].rename(to: name(new))
    }
    nameIndexes()
  }
}
