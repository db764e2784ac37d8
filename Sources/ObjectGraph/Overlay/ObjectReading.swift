import RepriseObjectModel

/// The result of reading an object.
enum ObjectReading {
  /// The object does not exist, and no overlay has a change of it.
  case absent
  case present(ContiguousArray<PropertyValue>)
  /// An overlay deleted the object. The case has its last values.
  case deleted(ContiguousArray<PropertyValue>)

  var values: ContiguousArray<PropertyValue>? { if case .present(let values) = self { values } else { nil } }

  /// The reading with a change of the layer above applied, and with its derived values.
  consuming func under(_ change: ObjectChange?, _ entity: Entity, _ uuid: UniqueID) -> ObjectReading {
    switch change {
    case nil: return self
    case .inserted(var values):
      entity.derive(&values, of: uuid)
      return .present(values)
    case .deleted(let values):
      if case .present(let current) = self { return .deleted(current) }
      return .deleted(values)
    case .updated(let changes):
      // Consumed, so that uniquely referenced values are changed in place.
      switch consume self {
      case .present(var values):
        for change in changes { values[change.slot] = change.new }
        entity.derive(&values, of: uuid)
        return .present(values)
      // A lower layer deleted the object while this one edited it. The edit stays, and becomes a conflict in the save.
      case .deleted(var values):
        for change in changes { values[change.slot] = change.new }
        return .deleted(values)
      case .absent:
        var values = entity.defaults
        for change in changes { values[change.slot] = change.new }
        return .deleted(values)
      }
    }
  }
}
