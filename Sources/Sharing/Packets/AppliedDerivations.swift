import RepriseLMDB
import RepriseLog

/// The entities whose objects other programs changed, and the versions of derived attributes that these programs had.
struct AppliedDerivations {
  /// By the number of the entity: the versions that a maker had, by the number of the attribute.
  private var makers: [UInt32: Set<[UInt32: UInt32]>] = [:]

  /// Objects of an entity were changed by a program with these versions.
  mutating func note(_ entity: UInt32, _ versions: [UInt32: UInt32]) {
    if makers[entity]?.contains(versions) != true { makers[entity, default: []].insert(versions) }
  }

  /// Marks the derived attributes that a maker lacked, or had in another version. The next opening computes them.
  mutating func write(
    _ meta: MetaTable, _ schema: StoredSchema, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if makers.isEmpty { return }
    let noted = try meta.derivations(transaction.view)
    // An erasure finds derived attributes by these facts.
    for property in Set(makers.values.joined().flatMap(\.keys)).subtracting(noted.map(\.property)) {
      try meta.put(derivation: nil, of: property, transaction)
    }
    for (property, version) in noted {
      guard let version else { continue }
      for (entity, known) in makers where schema.entity(number: entity)?.property(number: property) != nil {
        if known.contains(where: { $0[property] != version }) {
          try meta.put(derivation: nil, of: property, transaction)
        }
      }
    }
    makers = [:]
  }
}
