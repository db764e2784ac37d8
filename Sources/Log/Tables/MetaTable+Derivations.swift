import RepriseLMDB
import RepriseObjectModel

extension MetaTable {
  /// The version of the computation whose values all objects have in a derived attribute. `nil` if it is unknown.
  func derivation(of property: UInt32, _ view: View) throws(StorageError) -> UInt32? {
    try number(MetaKey.derivation(property), view).flatMap { $0 == 0 ? nil : $0 }
  }

  /// The attributes that are or were derived, by ascending number, with the versions that are known.
  package func derivations(_ view: View) throws(StorageError) -> [(property: UInt32, version: UInt32?)] {
    let prefix = [UInt8](MetaKey.derivation(0).prefix(1))
    var cursor = try view.cursor(table)
    var properties: [UInt32] = []
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry, let property = found.key.withUnsafeBytes({ MetaKey.derivation(key: $0) }) {
      properties.append(property)
      entry = try cursor.next()
    }
    var known: [(property: UInt32, version: UInt32?)] = []
    for property in properties { known.append((property, try derivation(of: property, view))) }
    return known
  }

  /// Records the version of the computation whose values all objects have. `nil` if the objects no longer have the
  /// values of one version. The entry stays, because an erasure needs to know the derived attributes.
  package func put(
    derivation version: UInt32?, of property: UInt32, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try put(MetaKey.derivation(property), Self.bytes(version ?? 0), transaction)
  }

  /// Records that attributes of an entity are derived, before the first value is stored.
  package func noteDerivations(of entity: EntityMap, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for slot in entity.entity.derivedSlots {
      let key = MetaKey.derivation(entity.numbers[slot])
      if try get(key, transaction.view) == nil { try put(key, Self.bytes(UInt32(0)), transaction) }
    }
  }
}

extension MetaTable {
  /// The models' derived attributes that stored entities lack, or have in another version.
  package func outdatedDerivations(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ view: View
  ) throws(StorageError) -> [OutdatedDerivation] {
    guard models.derives else { return [] }
    let match = SchemaMatch(models, stored)
    var outdated: [OutdatedDerivation] = []
    for (place, entity) in models.entities.enumerated() where entity.derives {
      guard let known = match.stored(place, stored) else { continue }
      var slots: [Int] = []
      for slot in entity.derivedSlots {
        let property = match.property(place, slot).map { known.properties[$0].number }
        let version = try property.flatMap { (property) throws(StorageError) in try derivation(of: property, view) }
        if version != entity.properties[slot].attribute?.derivation?.version { slots.append(slot) }
      }
      if !slots.isEmpty { outdated.append(OutdatedDerivation(entity, slots: slots)) }
    }
    return outdated
  }

  /// Records that all objects of an entity have the values that this program computes.
  package func putDerivations(of entity: EntityMap, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for slot in entity.entity.derivedSlots {
      let number = entity.numbers[slot]
      try put(derivation: entity.derivation(of: number), of: number, transaction)
    }
  }
}
