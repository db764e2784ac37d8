import RepriseObjectModel

/// Takes the state of a ``RestorableScreen``, by key.
@MainActor public final class RestorationEncoder {
  private let tree = StateTree()
  private let container: StateTree.Container
  private weak var resolver: (any ReferenceResolver)?
  private(set) var references: [String] = []
  private var failure: StateCodingError?

  init(_ resolver: any ReferenceResolver) {
    self.resolver = resolver
    container = tree.container(isKeyed: true, in: tree.top, at: 0)
  }

  private func value(_ key: String) -> StateValueEncoder {
    StateValueEncoder(tree: tree, container: container, index: tree.slot(for: key, in: container))
  }

  /// Writes a value, or for `nil` that there is none.
  ///
  /// A value that cannot be encoded is reported through ``Restoration/onProblem``, and the last good state stays.
  public func encode<Value: Encodable>(_ value: Value?, forKey key: String) {
    guard let value else { return self.value(key).encodeNil() }
    do {
      try self.value(key).write(value)
    } catch {
      failure = failure ?? StateCodingError(error)
    }
  }

  /// Writes the ID of an object of a store, or for `nil` that there is none. Read it as `Item.ID`.
  public func encode<Model: PersistentModel>(_ object: Model?, forKey key: String) { encode(object?.id, forKey: key) }

  /// Writes a reference to what is registered under a restoration ID: ``RestorationDecoder/decodeObject(forKey:)``
  /// gives that very object.
  public func encodeReference(to id: String, forKey key: String) {
    if !references.contains(id) { references.append(id) }
    value(key).reference("/" + id)
  }

  /// Writes a reference to what is registered under a key.
  public func encodeReference<Value>(to registered: RestorationKey<Value>, forKey key: String) {
    encodeReference(to: registered.id, forKey: key)
  }

  /// Writes a reference to another screen of the tree, or that there is none if the screen has no node. It follows the
  /// screen wherever that is moved.
  public func encodeReference(to screen: any RestorableScreen, forKey key: String) {
    guard let reference = resolver?.reference(to: screen) else { return value(key).encodeNil() }
    value(key).reference(reference)
  }

  func encoded(keeping unknown: UnknownKeys?) throws(StateCodingError) -> [UInt8] {
    if let failure { throw failure }
    return try tree.encoded(keeping: unknown)
  }
}
