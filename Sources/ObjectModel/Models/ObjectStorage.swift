/// The values of an object.
///
/// The storage of a detached object has the values itself. Once the object is in a context, the context provides them.
/// Only accessors use the storage: accessors that `@Model` writes, and accessors of handwritten models. The storage is
/// not `Sendable`, and belongs to its object.
public final class ObjectStorage {
  /// The description of the object's model.
  public let entity: Entity
  // Unchecked: no other code runs during an access, and every read makes several.
  @exclusivity(unchecked) private var identity: UniqueID
  @exclusivity(unchecked) @usableFromInline package var values: ContiguousArray<PropertyValue>
  /// Whether `values` is filled in. False for a fault, and for a new object without values.
  @exclusivity(unchecked) @usableFromInline package private(set) var isFilled: Bool {
    didSet { isPlain = isFilled && !isTracked }
  }
  /// Whether the values can be read without the context, because they are filled in and reads are not tracked. Getters
  /// check only this flag, so observation costs nothing unless it is used.
  @exclusivity(unchecked) @usableFromInline package private(set) var isPlain = false
  /// Whether the context receives each read.
  @exclusivity(unchecked) package var isTracked = false { didSet { isPlain = isFilled && !isTracked } }
  @exclusivity(unchecked) @usableFromInline package var state: ObjectState
  /// Whether the old values of the changes in the context's overlay equal the values below it. This is true until a
  /// value is read again.
  @exclusivity(unchecked) package var knowsBelow = false
  /// Whether its own context saved the deletion of the object. Then assignments change nothing.
  @exclusivity(unchecked) package private(set) var isDeletedByHost = false
  @exclusivity(unchecked) package var host: (any ObjectHost)?
  /// The relationships of a detached object, by slot.
  package var links: [Int: DetachedLinks] = [:]
  @exclusivity(unchecked) private var wasLinked = false

  /// Makes the storage of a new detached object, with the defaults of `entity`.
  public init(_ entity: Entity) {
    self.entity = entity
    identity = .zero
    values = []
    isFilled = false
    state = .detached
  }

  /// The storage of a new object with a given ID.
  package init(_ entity: Entity, uuid: UniqueID) {
    self.entity = entity
    identity = uuid
    values = []
    isFilled = false
    state = .detached
  }

  deinit { if wasLinked { DetachedLinks.letGo(&links) } }

  /// The storage of an object in a context, whose values are not read yet: a fault.
  package init(_ entity: Entity, uuid: UniqueID, host: any ObjectHost) {
    self.entity = entity
    identity = uuid
    values = []
    isFilled = false
    state = .live
    self.host = host
  }

  /// The UUID, which never changes. A new storage makes its UUID on first use. For a stored object, a context may
  /// discard the storage that the model's initialiser makes, and with it a UUID made at once.
  package var uuid: UniqueID {
    if identity == .zero { identity = UniqueID() }
    return identity
  }

  package var id: AnyObjectID { AnyObjectID(entity.interned, uuid) }

  func tie(_ slot: Int, _ body: (inout DetachedLinks) -> Void) {
    wasLinked = true
    body(&links[slot, default: DetachedLinks()])
  }

  /// Returns the value of an attribute, and never throws.
  ///
  /// If the value cannot be read, the result is the attribute's default, and the object is ``ObjectState/unreadable``.
  /// Takes O(1) after the object has been read. The first access costs one lookup in the store.
  ///
  /// If a detached object lacks the value of an attribute, the result is the default or the type's zero. The program
  /// stops if the attribute has neither.
  @inlinable
  public func get<Value: AttributeValue>(_ slot: Int, as type: Value.Type = Value.self) -> Value {
    if !isPlain { prepare(slot) }
    if let value = Value.from(values[slot]) { return value }
    return fallback(slot)
  }

  /// Changes an attribute: in the object itself if it is detached, otherwise in its context.
  @inlinable
  public func set<Value: AttributeValue>(_ slot: Int, _ value: Value) { write(value.propertyValue, at: slot) }

  /// Gives an attribute its first value, in an init accessor.
  @inlinable
  public func initialize<Value: AttributeValue>(_ slot: Int, _ value: Value) { start(value.propertyValue, at: slot) }

  /// The stored value of a property, untyped.
  package func value(_ slot: Int) -> PropertyValue {
    if !isFilled { prepare() }
    return values[slot]
  }

  /// The state. Reads the object if it is a fault.
  package var currentState: ObjectState {
    prepareValues()
    return state
  }

  /// The state if ``values`` is filled in. `nil` for a fault.
  @inlinable package var knownState: ObjectState? { isFilled ? state : nil }

  // Methods, because the compiler checks exclusivity when another module accesses the properties directly.

  /// Fills in the values and the state.
  package func fill(_ values: ContiguousArray<PropertyValue>, as state: ObjectState) {
    self.values = values
    self.state = state
    isFilled = true
    if state != .deleted { isDeletedByHost = false }
  }

  /// The context saved the deletion of this object.
  package func wasDeletedByHost() { isDeletedByHost = true }

  /// Sets a value that the context has recorded.
  package func overwrite(_ slot: Int, with value: PropertyValue) {
    values[slot] = value
    derive()
  }

  /// Reverts changes of the overlay. Does nothing and returns false if only the context knows the values below.
  package func takeBack(_ changes: [PropertyChange]) -> Bool {
    guard knowsBelow, isFilled, state == .live || state == .inserted else { return false }
    for change in changes { values[change.slot] = change.old }
    derive()
    knowsBelow = false
    return true
  }

  /// Fills in ``values`` if they are not.
  package func prepareValues() { if !isFilled { prepare() } }

  /// The slot number for the object's existence in tracked reads.
  package static var existence: Int { -1 }

  /// Forgets the values, so that the next read asks the context again.
  package func makeFault() {
    guard state != .detached else { return }
    isFilled = false
    knowsBelow = false
    if state != .inserted { state = .live }
  }

  /// Prepares a read by the program.
  @usableFromInline
  func prepare(_ slot: Int) {
    if !isFilled { prepare() }
    noteRead(slot)
  }

  /// Reports the read to the context, if reads are tracked.
  func noteRead(_ slot: Int) { if isTracked { host?.didRead(slot, of: self) } }

  private func prepare() {
    guard let host else {
      values = entity.defaults
      isFilled = true
      return
    }
    host.fill(self)
    if values.count < entity.declaredDefaults.count { values = entity.defaults }
    isFilled = true
  }

  /// Changes an attribute to a value of its kind, like its setter.
  package func assign(_ value: PropertyValue, at slot: Int) { write(value, at: slot) }

  @usableFromInline
  func write(_ value: PropertyValue, at slot: Int) {
    if !isFilled { prepare() }
    if let host { host.set(value, at: slot, of: self) } else { values[slot] = value }
  }

  @usableFromInline
  func start(_ value: PropertyValue, at slot: Int) {
    if !isFilled {
      // The initialiser of a fault's object assigns the defaults of its properties. This needs no array.
      if value.isIdentical(to: entity.declaredDefaults[slot]) { return }
      prepare()
    }
    values[slot] = value
  }

  /// The stored value is not of the property's type: another version of the model has a wider type, or a case that this
  /// enum lacks.
  @usableFromInline
  func fallback<Value: AttributeValue>(_ slot: Int) -> Value {
    if state != .deleted { state = .unreadable }
    host?.misread(slot, of: self)
    let candidates = [entity.declaredDefaults[slot], Value.isOptional ? .null : Value.zeroForm]
    for candidate in candidates { if let value = Value.from(candidate) { return value } }
    // A store refuses models with such an attribute. So this object was never in a store, and its initialiser gave the
    // attribute no value.
    preconditionFailure(
      "\(entity.name).\(entity.properties[slot].name) holds \(values[slot].text(as: Value.self)), which "
        + "\(Value.self) cannot represent, and it has no default. Declare a default value."
    )
  }
}
