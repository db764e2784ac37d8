import RepriseObjectModel

/// Why a state could not be encoded or decoded.
package enum StateCodingError: Error, Sendable {
  /// Not the bytes of a state.
  case malformed(MalformedBytes)
  /// Written in a newer format.
  case newerFormat(UInt8)
  /// Containers nested beyond the limit.
  case tooDeep(limit: Int)
  /// More bytes than a state may have.
  case tooLarge(bytes: Int, limit: Int)
  /// More elements in one container than it may have.
  case tooMany(limit: Int)
  /// A type's own coding failed. The bytes, if there are any, are sound.
  case value(path: String, reason: String)
}

extension StateCodingError: CustomStringConvertible {
  /// The failure. The caller adds the owner of the state and the next step.
  package var description: String {
    switch self {
    case .malformed(let bytes): "the state's bytes are damaged: \(bytes)"
    case .newerFormat(let version): "the state has format \(version), which is newer than this version of the library"
    case .tooDeep(let limit): "the values of the state are nested more than \(limit) levels deep"
    case .tooLarge(let bytes, let limit): "the state has \(bytes) bytes, and may have at most \(limit)"
    case .tooMany(let limit): "a list or dictionary of the state has more than \(limit) elements"
    case .value(let path, let reason): path.isEmpty ? reason : "\(path): \(reason)"
    }
  }

  /// The error that a type's own coding threw.
  init(_ error: any Error) {
    switch error {
    case let error as StateCodingError: self = error
    case let error as MalformedBytes: self = .malformed(error)
    case let error as DecodingError: self = .value(path: error.place, reason: error.sentence)
    case EncodingError.invalidValue(_, let context):
      self = .value(path: context.codingPath.text, reason: context.debugDescription)
    default: self = .value(path: "", reason: "\(error)")
    }
  }
}

extension DecodingError {
  fileprivate var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  fileprivate var place: String { context?.codingPath.text ?? "" }

  fileprivate var sentence: String {
    if case .keyNotFound(let key, _) = self { return "there is no value for '\(key.stringValue)'" }
    return context?.debugDescription ?? "\(self)"
  }
}

extension [any CodingKey] {
  fileprivate var text: String {
    map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }
}

/// A key that is a name or a position in a list.
struct StateKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  /// The key of a superclass's part, if the type gives it none.
  static var superclass: StateKey { StateKey(stringValue: "super") }
}
