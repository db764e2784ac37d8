import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// An update of every object that a fetch finds, resolved against the models of a store.
struct PlannedUpdate {
  let fetch: CompiledFetch
  private let assignments: PlannedAssignments

  init<Model: PersistentModel>(
    _ fetch: Fetch<Model>, _ assignments: (Model.Fields) -> [Assignment<Model>], in context: EditingContext
  ) throws {
    let schema = context.store.map
    self.fetch = try CompiledFetch(fetch, schema: schema.schema)
    guard let map = schema.map(self.fetch.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    self.assignments = try PlannedAssignments(assignments(Model.Fields(.root)), map, in: context)
  }

  var map: EntityMap { assignments.map }

  var slots: SlotSet { assignments.slots }

  /// The change of an object with these values. `nil` if the object already has the new values.
  func change(_ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID) throws(UpdateError) -> ObjectChange? {
    .updated(from: values, to: try assignments.values(after: values, id))
  }
}
