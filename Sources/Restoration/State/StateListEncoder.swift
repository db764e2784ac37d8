/// A list of a state, as `Codable` types fill it.
struct StateListEncoder: UnkeyedEncodingContainer {
  let tree: StateTree
  let container: StateTree.Container

  var codingPath: [any CodingKey] { tree.path(to: container, nil) }
  var count: Int { container.count }

  private func next() -> StateValueEncoder {
    StateValueEncoder(tree: tree, container: container, index: tree.appendSlot(to: container))
  }

  func encodeNil() { next().encodeNil() }
  func encode(_ value: Bool) { next().encode(value) }
  func encode(_ value: String) { next().encode(value) }
  func encode(_ value: Double) { next().encode(value) }
  func encode(_ value: Float) { next().encode(value) }
  func encode(_ value: Int) { next().integer(value) }
  func encode(_ value: Int8) { next().integer(value) }
  func encode(_ value: Int16) { next().integer(value) }
  func encode(_ value: Int32) { next().integer(value) }
  func encode(_ value: Int64) { next().integer(value) }
  func encode(_ value: Int128) { next().integer(value) }
  func encode(_ value: UInt) { next().integer(value) }
  func encode(_ value: UInt8) { tree.append(value, to: container) }
  func encode(_ value: UInt16) { next().integer(value) }
  func encode(_ value: UInt32) { next().integer(value) }
  func encode(_ value: UInt64) { next().integer(value) }
  func encode(_ value: UInt128) { next().integer(value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    // `[UInt8]` and `Data` encode their bytes one by one, through this generic call.
    if Value.self == UInt8.self, let byte = value as? UInt8 { return tree.append(byte, to: container) }
    try next().write(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}
