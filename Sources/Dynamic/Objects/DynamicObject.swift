import RepriseObjectModel
import RepriseSystem

/// An object of an entity that a store describes.
///
/// Fetches, lists and relationships find an entity by the class of its objects. So each entity has a class of its
/// number: `DynamicObject<Odd<Even<End>>>`.
final class DynamicObject<Number>: PersistentModel {
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  static var entity: Entity { DynamicClasses.entity(of: Self.self) ?? Entity(Self.self, name: "", properties: []) }

  typealias Fields = DynamicFields<Number>

  /// The values of attributes, and the IDs in to-one relationships, by name.
  var snapshot: [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for (slot, property) in Self.entity.declaredProperties.enumerated() where !property.isIndex && !property.isToMany {
      values[property.name] = _storage.value(slot)
    }
    return values
  }
}

struct DynamicFields<Number>: FieldSet {
  typealias Model = DynamicObject<Number>
  init(_ path: FieldPath) {}
}

// The digits of a class number, the lowest one first.
private enum End {}
private enum Even<Rest> {}
private enum Odd<Rest> {}

/// The classes that entities have got. A class has one entity for the whole life of the process.
enum DynamicClasses {
  private struct State {
    var count = 0
    var entities: [ObjectIdentifier: Entity] = [:]
  }

  private static let state = Guarded(State())

  /// A class that no entity has.
  static func next() -> any PersistentModel.Type {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return model(number, End.self)
  }

  static func set(_ entity: Entity, of model: any PersistentModel.Type) {
    state.withLock { $0.entities[ObjectIdentifier(model)] = entity }
  }

  static func entity(of model: any PersistentModel.Type) -> Entity? {
    state.withLock { $0.entities[ObjectIdentifier(model)] }
  }

  private static func model<Digits>(_ number: Int, _ digits: Digits.Type) -> any PersistentModel.Type {
    switch number {
    case 0: DynamicObject<Digits>.self
    case _ where number.isMultiple(of: 2): model(number / 2, Even<Digits>.self)
    default: model(number / 2, Odd<Digits>.self)
    }
  }
}
