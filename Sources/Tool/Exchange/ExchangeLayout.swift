import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// The properties of an entity that an export has, in the order of their names.
///
/// A pair of related objects is stored at one end only. So an export has each reference once. It also has the order of
/// an ordered relationship, at the end that has this order.
struct ExchangeLayout {
  struct Single {
    let name: String
    let slot: Int
    /// The kind of an attribute. `nil` for a reference.
    let kind: AttributeKind?
    let isOptional: Bool
    /// The entity of the object of a reference.
    let target: Entity?
  }

  struct Many {
    let name: String
    let target: Entity
    let isOrdered: Bool
  }

  let entity: Entity
  let singles: [Single]
  let lists: [Many]
  /// Whether a single property is derived from other attributes.
  let derives: Bool

  init(_ entity: Entity, in store: Store) {
    self.entity = entity
    var (singles, lists): ([Single], [Many]) = ([], [])
    for (slot, property) in entity.declaredProperties.enumerated() {
      switch property.role {
      case .attribute(let attribute):
        singles.append(
          Single(
            name: property.name, slot: slot, kind: attribute.kind, isOptional: attribute.isOptional, target: nil))
      case .toOne, .toMany:
        guard let end = store.map.schema.relationship(slot, of: entity) else { continue }
        if end.stores {
          singles.append(
            Single(name: property.name, slot: slot, kind: nil, isOptional: true, target: end.destination))
        } else if property.isToMany, property.isOrdered || property.inverse != nil && end.far != nil {
          lists.append(Many(name: property.name, target: end.destination, isOrdered: property.isOrdered))
        }
      case .index: break
      }
    }
    self.singles = singles.sorted { $0.name < $1.name }
    self.lists = lists.sorted { $0.name < $1.name }
    derives = entity.derives
  }

  func single(_ name: String) -> Single? { singles.first { $0.name == name } }
  func list(_ name: String) -> Many? { lists.first { $0.name == name } }
  var names: [String] { singles.map(\.name) + lists.map(\.name) }

  /// The members in a relationship. Without an order of the relationship, they are in the order of their IDs.
  static func members(_ list: Many, of object: any PersistentModel) throws -> [AnyObjectID] {
    let members = try object.members(of: list.name)
    return list.isOrdered ? members : members.sorted()
  }
}
