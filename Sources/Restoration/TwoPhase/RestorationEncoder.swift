import RepriseObjectModel

/// Encodes the state of a ``RestorableScreen`` by key.
public final class RestorationEncoder {
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

  /// Encodes a value.
  ///
  /// `nil` records that there is none.
  ///
  /// If the value cannot be encoded, the last good state stays, and ``Restoration/onProblem`` receives the error. A
  /// call of ``Restoration/save()`` throws it.
  public func encode<Value: Encodable>(_ value: Value?, forKey key: String) {
    guard let value else { return self.value(key).encodeNil() }
    do {
      try self.value(key).write(value)
    } catch {
      failure = failure ?? StateCodingError(error)
    }
  }

  /// Encodes the ID of an object in a store.
  ///
  /// `nil` records that there is none.
  ///
  /// Decode it as an object ID, such as `Item.ID`.
  public func encode<Model: PersistentModel>(_ object: Model?, forKey key: String) { encode(object?.id, forKey: key) }

  /// Encodes a reference to the object registered under a restoration ID.
  ///
  /// ``RestorationDecoder/decodeObject(forKey:)`` returns the object that is registered under the ID when the state is
  /// decoded.
  public func encodeReference(to id: String, forKey key: String) {
    if !references.contains(id) { references.append(id) }
    value(key).reference("/" + id)
  }

  /// Encodes a reference to the object registered under a key.
  public func encodeReference<Value>(to registered: RestorationKey<Value>, forKey key: String) {
    encodeReference(to: registered.id, forKey: key)
  }

  /// Encodes a reference to the screen of another node, which follows the node when it is moved.
  ///
  /// If the screen has no node, the value is `nil`.
  public func encodeReference(to screen: any RestorableScreen, forKey key: String) {
    guard let reference = resolver?.reference(to: screen) else { return value(key).encodeNil() }
    value(key).reference(reference)
  }

  func encoded(keeping unknown: UnknownKeys?) throws(StateCodingError) -> [UInt8] {
    if let failure { throw failure }
    return try tree.encoded(keeping: unknown)
  }
}
