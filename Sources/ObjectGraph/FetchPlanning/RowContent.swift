import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The content that a fetch returns for each object.
enum RowContent {
  /// All values, by slot.
  case objects
  case ids
  /// The values of some terms, in their order.
  case terms(CompiledTerms)
  /// Nothing: the rows are only counted.
  case count
  /// Nothing: each object is passed to the closure, with its values in the given slots.
  case visit(SlotSet, (AnyObjectID, ContiguousArray<PropertyValue>) -> Void)

  /// The properties to decode for each returned object. `nil` is all.
  var slots: SlotSet? {
    switch self {
    case .objects: nil
    case .ids, .count, .visit: []
    case .terms(let terms): terms.slots
    }
  }

  /// The properties to decode at once with the properties of the condition.
  var slotsWithCondition: SlotSet { if case .visit(let slots, _) = self { slots } else { [] } }

  /// Whether an index alone can provide the returned content.
  var isInIndex: Bool { slots?.isEmpty ?? false && slotsWithCondition.isEmpty }

  /// The content to keep for an object. `nil` if there is none.
  func row(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> Projection.Row? {
    switch self {
    case .objects: return Projection.Row(uuid: id.uuid, values: values)
    case .ids: return Projection.Row(uuid: id.uuid, values: [])
    case .terms(let terms):
      return Projection.Row(uuid: id.uuid, values: terms.values(of: values, id: id, source: source))
    case .count: return nil
    case .visit(_, let body):
      body(id, values)
      return nil
    }
  }
}

extension Projection {
  /// A fetched object.
  package struct Row {
    package let uuid: UniqueID
    package let values: ContiguousArray<PropertyValue>
  }
}
