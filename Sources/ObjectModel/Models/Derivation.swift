/// Computes a derived attribute of an object. A class, so that properties without a derivation stay small.
package final class Derivation: Sendable {
  /// The version of the computation, from 1, which the program raises with each change of it. In the file, 0 stands for
  /// no version.
  package let version: UInt32
  let value: @Sendable (any PersistentModel) -> PropertyValue

  init(version: Int, _ value: @escaping @Sendable (any PersistentModel) -> PropertyValue) {
    self.version = UInt32(clamping: max(1, version))
    self.value = value
  }
}

extension Entity {
  /// Computes the derived attributes among an object's values again. Call this after each change of values. So changes
  /// of derived attributes need not be recorded, merged or undone.
  package func derive(_ values: inout ContiguousArray<PropertyValue>, of uuid: UniqueID) {
    if !derives { return }
    let host = DerivationHost(self)
    let storage = ObjectStorage(self, uuid: uuid, host: host)
    storage.fill(values, as: .live)
    let object = makeObject(storage)
    for slot in derivedSlots {
      host.slot = slot
      if let derivation = properties[slot].attribute?.derivation { values[slot] = derivation.value(object) }
    }
  }
}

extension ResolvedSchema {
  /// Whether any attribute is derived.
  package var derives: Bool { entities.contains(where: \.derives) }
}

extension ObjectStorage {
  /// Computes the derived attributes again after a change of the values, which must be filled in.
  package func derive() { if entity.derives { entity.derive(&values, of: uuid) } }
}

extension PropertyChange {
  /// Whether it is the change of a derived attribute.
  package func isDerived(_ entity: Entity) -> Bool { entity.derivedSlots.contains(slot) }
}

/// Stops a program that computes a derived attribute from more than the object's attributes. The attribute would not
/// change when the other data change.
private final class DerivationHost: ObjectHost {
  private let entity: Entity
  /// The attribute that is being computed.
  var slot = 0

  init(_ entity: Entity) { self.entity = entity }

  private var name: String { "\(entity.name).\(entity.properties[slot].name)" }

  private func refuse(_ relationship: Int) -> Never {
    preconditionFailure(
      "The derived attribute \(name) uses the relationship '\(entity.properties[relationship].name)', but does not "
        + "change with the related object. Compute it from attributes of the same object. If it needs a value of the "
        + "related object, copy this value into an attribute, or make \(name) a computed property without `.derived`.")
  }

  private func refuseChange() -> Never {
    preconditionFailure("The computation of the derived attribute \(name) changes an object. Remove this change.")
  }

  func fill(_ storage: ObjectStorage) {}
  func didRead(_ slot: Int, of storage: ObjectStorage) {}
  func misread(_ slot: Int, of storage: ObjectStorage) {}
  func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) { refuseChange() }
  func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage) { refuse(slot) }
  func toOne(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { refuse(slot) }
  func toMany(_ slot: Int, of storage: ObjectStorage) -> [any PersistentModel] { refuse(slot) }
  func insertMember(_ object: any PersistentModel, into slot: Int, of storage: ObjectStorage) { refuse(slot) }
  func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) { refuse(slot) }
  func asOneStep(_ body: () -> Void) { refuseChange() }
  func adopt(_ object: any PersistentModel, _ body: () -> Void) { refuseChange() }
  func contains(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage) -> Bool { refuse(slot) }
  func member(at position: Int, _ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { refuse(slot) }
  func position(of object: any PersistentModel, _ slot: Int, of storage: ObjectStorage) -> Int? { refuse(slot) }
  func insertMember(_ object: any PersistentModel, at position: Int, into slot: Int, of storage: ObjectStorage) {
    refuse(slot)
  }
  func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into slot: Int, of storage: ObjectStorage
  ) -> Bool {
    refuse(slot)
  }
  func toManyCount(_ slot: Int, of storage: ObjectStorage) -> Int { refuse(slot) }
  func toManyFirst(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { refuse(slot) }
}
