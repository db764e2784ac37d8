import RepriseEventStore
import RepriseObjectModel

/// Why objects cannot be made of what another program has written, or written for one. Nothing has changed. A path
/// leads to the place, as in "parts[2].price"; it is empty for the whole.
@nonexhaustive
public enum ExchangeError: RepriseError, Hashable {
  /// A key is not among the properties that the form has.
  case unknownKey(path: String)
  /// The value of an attribute that is not optional is missing.
  case missingKey(path: String)
  /// A value is not one of the property's type.
  case wrongType(path: String, reason: String)
  /// A form names a property that the model does not have.
  case unknownProperty(String, entity: String)
  /// An object with this ID exists already.
  case exists(AnyObjectID, path: String)
  /// There is no object with this ID.
  case missingTarget(AnyObjectID, path: String)
  /// It cannot be read at all.
  case malformed(reason: String)
}

extension ExchangeError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .unknownKey(let path): "'\(path)' is no property that is expected here. Leave it out, or add it to the form."
    case .missingKey(let path): "'\(path)' is missing, and is not optional. Give it a value."
    case .wrongType(let path, let reason):
      "\(path.isEmpty ? "The value" : "'\(path)'") cannot be read: \(reason). Correct it."
    case .unknownProperty(let name, let entity):
      "\(entity) has no property '\(name)' that the form could have. Correct the form."
    case .exists(let id, let path):
      "\(id)\(path.isEmpty ? "" : ", at '\(path)',") exists already. Update it, or leave its ID out."
    case .missingTarget(let id, let path):
      "\(id), to which '\(path)' leads, does not exist here. Insert it first, or leave the key out."
    case .malformed(let reason): "It cannot be read: \(reason). Correct it."
    }
  }
}

extension ExchangeError {
  static func path(_ keys: [any CodingKey]) -> String {
    var path = ""
    for key in keys {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return path
  }

  /// An error of a decoder, or of an encoder, as one of these; any other as it is.
  package static func converting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DecodingError {
      throw ExchangeError(error)
    } catch EncodingError.invalidValue(_, let context) {
      throw ExchangeError.wrongType(path: path(context.codingPath), reason: sentence(context.debugDescription))
    }
  }

  private init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context): self = .missingKey(path: Self.path(context.codingPath + [key]))
    case .valueNotFound(let type, let context):
      self = .wrongType(path: Self.path(context.codingPath), reason: "it is null, and not \(Self.name(type))")
    case .typeMismatch(let type, let context):
      self = .wrongType(path: Self.path(context.codingPath), reason: "it is not \(Self.name(type))")
    case .dataCorrupted(let context):
      let reason = Self.sentence(context.debugDescription)
      self =
        context.codingPath.isEmpty
        ? .malformed(reason: reason) : .wrongType(path: Self.path(context.codingPath), reason: reason)
    @unknown default: self = .malformed(reason: "\(error)")
    }
  }

  /// As in a text that another program has written.
  private static func name(_ type: Any.Type) -> String {
    switch type {
    case is any FixedWidthInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case let type where "\(type)".hasPrefix("Dictionary<"): "an object"
    case let type where "\(type)".hasPrefix("Array<"): "an array"
    default: "\(type)"
    }
  }

  /// As a part of a sentence.
  private static func sentence(_ text: String) -> String {
    var text = text[...]
    while text.last == "." { text.removeLast() }
    return String(text)
  }
}
