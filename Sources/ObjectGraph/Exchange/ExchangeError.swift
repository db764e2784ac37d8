import RepriseEventStore
import RepriseObjectModel

/// An error in decoding objects from another program or encoding objects for one.
///
/// Nothing has changed. A path locates the error, as in "parts[2].price". The path is empty for the top level.
@nonexhaustive
public enum ExchangeError: RepriseError, Hashable {
  /// The data has a key that is not a property of the selection.
  case unknownKey(path: String)
  /// The data lacks an attribute that is not optional.
  case missingKey(path: String)
  /// A value does not have the type of its property, or an ID belongs to another object or model.
  case wrongType(path: String, reason: String)
  /// The selection names a property that the model does not have.
  case unknownProperty(String, entity: String)
  /// An object with this ID already exists.
  case exists(AnyObjectID, path: String)
  /// The data refers to an object that does not exist.
  case missingTarget(AnyObjectID, path: String)
  /// The data cannot be decoded at all.
  case malformed(reason: String)
}

extension ExchangeError: CustomStringConvertible {
  /// The error and the next step to take, as text for people.
  public var description: String {
    switch self {
    case .unknownKey(let path):
      "'\(path)' is no property that is expected here. Leave it out, or add it to the selection."
    case .missingKey(let path): "'\(path)' is missing, and is not optional. Give it a value."
    case .wrongType(let path, let reason):
      "\(path.isEmpty ? "The value" : "'\(path)'") cannot be read: \(reason). Correct it."
    case .unknownProperty(let name, let entity):
      "\(entity) has no property '\(name)' that the selection could have. Correct the selection."
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
