import RepriseObjectModel

/// Encodes a state, any `Encodable` value, as compact bytes. Without Foundation.
package enum StateEncoder {
  /// The bytes of a value; equal values give equal bytes, except where a type itself has no order (a `Set`).
  package static func encode<State: Encodable>(
    _ state: State, keeping unknown: UnknownKeys? = nil
  ) throws(StateCodingError) -> [UInt8] {
    let tree = StateTree()
    do {
      try StateValueEncoder(tree: tree, container: tree.top, index: 0).write(state)
    } catch {
      throw tree.failure ?? StateCodingError(error)
    }
    return try tree.encoded(keeping: unknown)
  }
}

/// The place of one value in a state, as `Codable` types fill it.
struct StateValueEncoder: Encoder {
  let tree: StateTree
  let container: StateTree.Container
  let index: Int

  var codingPath: [any CodingKey] { tree.path(to: container, index) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      StateKeyedEncoder<Key>(tree: tree, container: tree.container(isKeyed: true, in: container, at: index)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    StateListEncoder(tree: tree, container: tree.container(isKeyed: false, in: container, at: index))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension StateValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { tree.scalar(in: container, at: index) { $0.append(StateTag.null) } }

  func encode(_ value: Bool) {
    tree.scalar(in: container, at: index) { $0.append(value ? StateTag.yes : StateTag.no) }
  }

  func encode(_ value: String) { tree.scalar(in: container, at: index) { StateTree.write(value, to: &$0) } }
  func encode(_ value: Double) { tree.scalar(in: container, at: index) { StateTree.write(value, to: &$0) } }
  func encode(_ value: Float) { tree.scalar(in: container, at: index) { StateTree.write(value, to: &$0) } }
  func encode(_ value: Int) { integer(value) }
  func encode(_ value: Int8) { integer(value) }
  func encode(_ value: Int16) { integer(value) }
  func encode(_ value: Int32) { integer(value) }
  func encode(_ value: Int64) { integer(value) }
  func encode(_ value: Int128) { integer(value) }
  func encode(_ value: UInt) { integer(value) }
  func encode(_ value: UInt8) { integer(value) }
  func encode(_ value: UInt16) { integer(value) }
  func encode(_ value: UInt32) { integer(value) }
  func encode(_ value: UInt64) { integer(value) }
  func encode(_ value: UInt128) { integer(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try write(value) }

  func integer<Number: FixedWidthInteger>(_ number: Number) {
    tree.scalar(in: container, at: index) { StateTree.write(number, to: &$0) }
  }

  func write<Value: Encodable>(_ value: Value) throws {
    // Thrown here, before a type that contains itself exhausts the stack.
    if let failure = tree.failure { throw failure }
    if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
      tree.scalar(in: container, at: index) {
        $0.append(StateTag.bytes)
        $0.sized(bytes)
      }
      return
    }
    try value.encode(to: self)
  }

  /// A reference to a registered object or a node, in place of a copy.
  func reference(_ key: String) {
    tree.scalar(in: container, at: index) {
      $0.append(StateTag.reference)
      $0.string(key)
    }
  }
}
