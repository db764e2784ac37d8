import RepriseObjectModel

/// An attribute in the given slot: `@Stored(0) var name: String`.
@propertyWrapper
package struct Stored<Value: AttributeValue> {
  private let slot: Int
  package init(_ slot: Int) { self.slot = slot }

  package static subscript<Model: PersistentModel>(
    _enclosingInstance object: Model, wrapped property: ReferenceWritableKeyPath<Model, Value>,
    storage wrapper: ReferenceWritableKeyPath<Model, Self>
  ) -> Value {
    get { object._storage.get(object[keyPath: wrapper].slot) }
    set { object._storage.set(object[keyPath: wrapper].slot, newValue) }
  }

  @available(*, unavailable, message: "only objects have properties")
  package var wrappedValue: Value {
    get { fatalError() }
    set { fatalError() }
  }
}

/// A to-one relationship in the given slot: `@Linked(2) var owner: Person?`.
@propertyWrapper
package struct Linked<Target: PersistentModel> {
  private let slot: Int
  package init(_ slot: Int) { self.slot = slot }

  package static subscript<Model: PersistentModel>(
    _enclosingInstance object: Model, wrapped property: ReferenceWritableKeyPath<Model, Target?>,
    storage wrapper: ReferenceWritableKeyPath<Model, Self>
  ) -> Target? {
    get { object._storage.toOne(object[keyPath: wrapper].slot) }
    set { object._storage.setToOne(object[keyPath: wrapper].slot, newValue, of: object) }
  }

  @available(*, unavailable, message: "only objects have properties")
  package var wrappedValue: Target? {
    get { fatalError() }
    set { fatalError() }
  }
}
