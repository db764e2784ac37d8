import RepriseEventStore
import RepriseObjectModel

/// Why objects could not be decoded from another program's data, or encoded for another program. Nothing has changed.
///
/// The calls that decode and encode objects throw it, also from and to JSON. A path locates the error, as in
/// "parts[2].price". The path is empty for the top level.
@nonexhaustive
public enum ExchangeError: RepriseError, Equatable {
  /// The data has a key that is not a property of the selection.
  ///
  /// Decoding throws it. Leave the key out, or add it to the selection.
  case unknownKey(path: String)
  /// The data lacks an attribute that is not optional.
  ///
  /// Decoding throws it. Give the key a value.
  case missingKey(path: String)
  /// A value does not have the type of its property, or an ID belongs to another object or model.
  ///
  /// Decoding and encoding throw it. Correct the value.
  case wrongType(path: String, reason: String)
  /// The selection names a property that the model does not have.
  ///
  /// Decoding and encoding throw it. Correct the selection.
  case unknownProperty(String, entity: String)
  /// An object with this ID already exists.
  ///
  /// Decoding of new objects throws it. Update the object, or leave its ID out.
  case exists(AnyObjectID, path: String)
  /// The data refers to an object that does not exist.
  ///
  /// Decoding throws it. Insert the object first, or leave the key out.
  case missingTarget(AnyObjectID, path: String)
  /// The data cannot be decoded at all.
  ///
  /// Decoding throws it. Correct the data.
  case malformed(reason: String)
}

extension ExchangeError: CustomStringConvertible {
  /// The failure with its path, its cause, and the next step.
  public var description: String {
    switch self {
    case .unknownKey(let path):
      "'\(path)' is in the data, but not in the selection of properties to decode. Remove it from the data, or add it "
        + "to the argument `properties`."
    case .missingKey(let path): "'\(path)' is missing, and is not optional. Give it a value in the data."
    case .wrongType(let path, let reason):
      "\(path.isEmpty ? "The value" : "'\(path)'") cannot be used: \(reason). Correct this value."
    case .unknownProperty(let name, let entity):
      "The name '\(name)' does not fit in the `PropertySelection` for \(entity). Give `only` the names of attributes, "
        + "and `ids` and `nesting` the names of relationships."
    case .exists(let id, let path):
      "\(id)\(path.isEmpty ? "" : ", at '\(path)',") already exists. Update the existing object, or leave the ID out "
        + "of the data."
    case .missingTarget(let id, let path):
      "'\(path)' refers to \(id), which does not exist in this context. Insert that object first, or leave '\(path)' "
        + "out of the data."
    case .malformed(let reason):
      "The data cannot be decoded: \(reason). Correct the data, or the decoder that you passed."
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

  /// Runs `body`. Throws an error of a decoder or of an encoder as an `ExchangeError`, and any other error unchanged.
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

  /// The kind of a value, as people say it of JSON.
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

  /// The text as a part of a sentence.
  private static func sentence(_ text: String) -> String {
    var text = text[...]
    while text.last == "." { text.removeLast() }
    return String(text)
  }
}
