import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// What a fetch returns of each object.
enum RowContent {
  /// All values, by slot.
  case objects
  case ids
  /// The values of some terms, in their order.
  case terms(CompiledTerms)
  /// Nothing: the rows are only counted.
  case count

  /// The properties to decode; `nil` is all.
  var slots: Set<Int>? {
    switch self {
    case .objects: nil
    case .ids, .count: []
    case .terms(let terms): terms.slots
    }
  }

  var isCount: Bool { if case .count = self { true } else { false } }

  func values(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ projection: Projection
  ) -> ContiguousArray<PropertyValue> {
    switch self {
    case .objects: values
    case .ids, .count: []
    case .terms(let terms): terms.values(of: values, id: id, source: projection)
    }
  }
}
