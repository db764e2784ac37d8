import RepriseObjectModel
import RepriseRestoration

/// Values of properties by their names, which outlive the version of the model. They are encoded like states.
struct ValuesByName {
  var values: [String: PropertyValue]

  init(_ values: [String: PropertyValue] = [:]) { self.values = values }

  /// If this version cannot read the bytes, every value counts as changed, which leads to a conflict.
  init(_ bytes: [UInt8]) {
    values = bytes.isEmpty ? [:] : (try? StateDecoder.decode([String: PropertyValue].self, from: bytes).state) ?? [:]
  }

  /// The encoded values. If these are too large for a state, only the names, which are enough to protect the
  /// properties.
  var bytes: [UInt8] {
    if values.isEmpty { return [] }
    let names = values.mapValues { _ in PropertyValue.null }
    return (try? StateEncoder.encode(values)) ?? (try? StateEncoder.encode(names)) ?? []
  }

  subscript(name: String) -> PropertyValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  var names: [String] { values.keys.sorted() }
  var isEmpty: Bool { values.isEmpty }
}
