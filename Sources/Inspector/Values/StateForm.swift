import RepriseCore

extension JSON {
  /// The state of a screen.
  init(_ state: StateValue) {
    switch state {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let number):
      self = Int64(exactly: number).map { ValueForm.json(.int($0)) } ?? .text("\(number)")
    case .wide(let number): self = .text("\(number)")
    case .double(let number): self = number.isFinite ? .double(number) : .text("\(number)")
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = ValueForm.json(.bytes(bytes))
    case .list(let values): self = .list(values.map { JSON($0) })
    case .keyed(let values): self = .object(values.mapValues { JSON($0) })
    case .reference(let name): self = .text("→ \(name)")
    }
  }
}
