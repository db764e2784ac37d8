/// A group of named values of a state, as `Codable` types fill it.
struct StateKeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let tree: StateTree
  let container: StateTree.Container

  var codingPath: [any CodingKey] { tree.path(to: container, nil) }

  private func value(_ name: String) -> StateValueEncoder {
    StateValueEncoder(tree: tree, container: container, index: tree.slot(for: name, in: container))
  }

  private func value(_ key: Key) -> StateValueEncoder { value(key.stringValue) }

  func encodeNil(forKey key: Key) { value(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Float, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: Int8, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: Int16, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: Int32, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: Int64, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: Int128, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt8, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt16, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt32, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt64, forKey key: Key) { self.value(key).integer(value) }
  func encode(_ value: UInt128, forKey key: Key) { self.value(key).integer(value) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.value(key).write(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { value(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { value(key).unkeyedContainer() }

  func superEncoder() -> any Encoder { value(StateKey.superclass.stringValue) }
  func superEncoder(forKey key: Key) -> any Encoder { value(key) }
}
