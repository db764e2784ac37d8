import RepriseObjectModel

/// A model written by hand. It declares its entity, its storage, and the properties and fields that tests use.
///
/// Its subscript reads and writes the other attributes: `object["name"]`.
package protocol TestModel: PersistentModel {
  associatedtype Fields = NoFields<Self>
}

extension TestModel {
  package init(_ values: [String: any AttributeValue] = [:]) {
    self.init(_storage: ObjectStorage(Self.entity))
    for (name, value) in values { self[name] = value.propertyValue }
  }

  package subscript(name: String) -> PropertyValue {
    get { _storage.value(Self.entity.slot(named: name)!) }
    set { _storage.assign(newValue, at: Self.entity.slot(named: name)!) }
  }

  package var snapshot: NoSnapshot { NoSnapshot() }
}

package struct NoFields<Model: PersistentModel>: FieldSet {
  package init(_ path: FieldPath) {}
}

package struct NoSnapshot: Hashable, Sendable {}
