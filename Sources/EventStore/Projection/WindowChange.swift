import RepriseObjectModel

/// A change that is in the log, as the version window takes it back.
package enum WindowChange: Sendable {
  /// Saved by this process, which had the values at hand.
  case saved(ObjectChange)
  /// Saved by another process: the bytes of the event.
  case logged([UInt8])
}

extension WindowChange {
  /// The state before the change, of an object whose state after it is `values`; `nil` where it does not exist.
  package func before(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ entity: EntityMap, _ map: SchemaMap, path: String
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    switch self {
    case .saved(let change): return change.inverse.applied(to: values)
    case .logged(let bytes):
      var values = values
      do throws(ReplayError) {
        try bytes.lend { (bytes) throws(ReplayError) in
          let event = try ReplayError.wrapping { () throws(MalformedBytes) in
            var reader = ByteReader(bytes)
            return try LogEvent(&reader, index: 0, .none)
          }
          try event.applyBackward(to: &values, entity, map)
        }
      } catch {
        throw .damaged(path: path, reason: "an event of \(id): \(error)")
      }
      return values
    }
  }
}
