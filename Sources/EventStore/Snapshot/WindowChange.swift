import RepriseObjectModel

/// A logged change that the version window can take back.
package enum WindowChange: Sendable {
  /// Saved by this process, which had the values in memory.
  case saved(ObjectChange)
  /// Saved by another process: the bytes of the event.
  case logged([UInt8])
}

extension WindowChange {
  /// The approximate size in bytes of memory, including the object's ID and its entry among the versions.
  var size: Int {
    switch self {
    case .logged(let bytes): return 200 + bytes.count
    case .saved(.inserted(let values)), .saved(.deleted(let values)): return values.reduce(200) { $0 + $1.size }
    case .saved(.updated(let changes)): return changes.reduce(200) { $0 + $1.old.size + $1.new.size }
    }
  }

  /// The object's values before the change, given those after it; `nil` if it does not exist.
  package func before(
    _ values: ContiguousArray<PropertyValue>?, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> ContiguousArray<PropertyValue>? {
    switch self {
    case .saved(let change): return change.inverse.applied(to: values)
    case .logged(let bytes):
      var values = values
      try bytes.lend { (bytes) throws(ReplayError) in
        let event = try ReplayError.wrapping { () throws(MalformedBytes) in
          var reader = ByteReader(bytes)
          return try LogEvent(&reader, index: 0, .none)
        }
        try event.applyBackward(to: &values, entity, map)
      }
      return values
    }
  }
}

extension PropertyValue {
  fileprivate var size: Int {
    switch self {
    case .string(let text): 24 + text.utf8.count
    case .bytes(let bytes): 24 + bytes.count
    default: 24
    }
  }
}
