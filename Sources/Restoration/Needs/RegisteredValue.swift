import RepriseEventStore
import RepriseObjectGraph

/// A registered object of any type.
class RegisteredValue {
  /// The object as a parent of nodes' own contexts. `nil` if it is no context.
  var host: (any ContextHost)? { nil }
  var isContext: Bool { false }
  /// The store that is edited through the object, or is the object. `nil` if there is none.
  var draftStorage: (any DraftStorage)? { nil }
  var any: Any { self }

  /// The object as a value of a type; `key` is for the error.
  final func value<Value>(as type: Value.Type, of key: String) throws(Unmet) -> Value {
    if let object = self as? RegisteredObject<Value> { return object.value }
    guard let value = any as? Value else {
      let found = Swift.type(of: any)
      throw .object(
        key, .failed("'\(key)' is registered with the type \(found), but is needed with the type \(Value.self)"))
    }
    return value
  }
}

final class RegisteredObject<Value>: RegisteredValue {
  let value: Value

  init(_ value: Value) { self.value = value }

  override var host: (any ContextHost)? { value as? any ContextHost }
  override var isContext: Bool { value is EditingContext }
  // Casts to classes, because a cast to a protocol that the type lacks would cost each start more.
  override var draftStorage: (any DraftStorage)? {
    (value as? EditingContext)?.draftStorage ?? (value as? Store).map { StoreArchive($0) }
  }
  override var any: Any { value }
}
