import RepriseObjectModel

extension Term: Codable {
  /// Part of archives: never rename a key.
  private enum CodingKeys: String, CodingKey {
    case path
    case isCount = "count"
    case computation = "compute"
    case collation
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let steps = try container.decodeIfPresent([ComputationStep].self, forKey: .computation) {
      guard ComputationStep.isWellFormed(steps) else {
        throw DecodingError.dataCorruptedError(
          forKey: .computation, in: container, debugDescription: "the decoded data is not one complete computation")
      }
      self.init(computing: steps)
    } else {
      self.init(
        try container.decode([String].self, forKey: .path),
        isCount: try container.decodeIfPresent(Bool.self, forKey: .isCount) ?? false,
        collation: try container.decodeIfPresent(Collation.self, forKey: .collation) ?? .binary)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if isComputed {
      try container.encode(computation, forKey: .computation)
    } else {
      try container.encode(path, forKey: .path)
      if isCount { try container.encode(true, forKey: .isCount) }
      if collation != .binary { try container.encode(collation, forKey: .collation) }
    }
  }
}

extension ComputationStep: Codable {
  /// Part of archives: never rename a key or an operator.
  private enum CodingKeys: String, CodingKey {
    case term
    case value
    case operation = "op"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let name = try container.decodeIfPresent(String.self, forKey: .operation) {
      if let operation = Unary(rawValue: name) {
        self = .unary(operation)
      } else if let operation = Binary(rawValue: name) {
        self = .binary(operation)
      } else {
        throw DecodingError.dataCorruptedError(
          forKey: .operation, in: container, debugDescription: "'\(name)' is not an operator of computations")
      }
    } else if let value = try container.decodeIfPresent(PropertyValue.self, forKey: .value) {
      self = .constant(value)
    } else {
      let term = try container.decode(Term.self, forKey: .term)
      guard !term.isComputed else {
        throw DecodingError.dataCorruptedError(
          forKey: .term, in: container, debugDescription: "a computation cannot contain another computation")
      }
      self = .read(term)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .read(let term): try container.encode(term, forKey: .term)
    case .constant(let value): try container.encode(value, forKey: .value)
    case .unary(let operation): try container.encode(operation.rawValue, forKey: .operation)
    case .binary(let operation): try container.encode(operation.rawValue, forKey: .operation)
    }
  }
}
