import RepriseObjectModel
import RepriseQuery

extension EditingContext {
  /// Finds the object with these unique values, or inserts one, and makes the assignments.
  ///
  /// The upsert is like SQL's `insert … on conflict do update`.
  ///
  /// ```swift
  /// let (ada, outcome) = try context.upsert(by: \Person.email) {
  ///   [$0.email.set(to: "ada@example.org"), $0.name.set(to: "Ada")]
  /// }
  /// ```
  ///
  /// Uncommitted objects of this context and its parents are found too. Only assigned properties change. In a new
  /// object, all other properties have the model's defaults, and no initialiser runs. The upsert is one undo step, or
  /// none if nothing changes. The lookup takes O(log n).
  ///
  /// If another context meanwhile saves an object with the same values, the next save throws `SaveError.refused`.
  /// Then call ``discard(_:)-(AnyObjectID)`` for your object, refresh and upsert again. An upsert in batches by a
  /// `BackgroundContext` does this automatically.
  ///
  /// - Parameters:
  ///   - key: The properties to find the object by: a unique attribute, or all properties that are unique together.
  ///   - name: The name of the undo step.
  ///   - assignments: The assignments, including a value for each property of the key.
  /// - Returns: The object, and whether it was inserted, updated or unchanged.
  /// - Throws: ``UpdateError``, also if the properties are not unique; ``FetchError``. Then nothing has changed.
  @discardableResult
  public func upsert<Model: PersistentModel>(
    by key: PartialKeyPath<Model>..., name: String? = nil, _ assignments: (Model.Fields) -> [Assignment<Model>]
  ) throws -> (object: Model, outcome: UpsertOutcome) {
    var upsert = try PlannedUpsert(Model.self, by: key, in: self)
    let (id, outcome) = try upsert.add(assignments(Model.Fields(.root)))
    applyAsOneStep(upsert.changes, name)
    return (try object(ObjectID<Model>(uuid: id.uuid)), outcome)
  }

  /// Upserts an object for each element of a sequence, as one undo step, without making instances.
  ///
  /// ```swift
  /// try context.upsert(rows, by: \Person.email) { person, row in
  ///   [person.email.set(to: row.email), person.name.set(to: row.name)]
  /// }
  /// ```
  ///
  /// Elements with equal unique values refer to the same object, and the later element wins. Otherwise it works like an
  /// upsert of one object. Costs O(log n) for each element, and memory for the changes. A save may contain at most
  /// 100,000 objects. To upsert more, use a `BackgroundContext`, which makes several saves.
  ///
  /// - Returns: The numbers of elements that inserted, updated and did not change an object.
  /// - Throws: ``UpdateError``, ``FetchError``, or the error of `assignments`. Then nothing has changed.
  @discardableResult
  public func upsert<Model: PersistentModel, Elements: Sequence>(
    _ elements: Elements, by key: PartialKeyPath<Model>..., name: String? = nil,
    _ assignments: (Model.Fields, Elements.Element) throws -> [Assignment<Model>]
  ) throws -> UpsertCounts {
    try upsertAll(elements, by: key, name: name, assignments)
  }

  func upsertAll<Model: PersistentModel, Elements: Sequence>(
    _ elements: Elements, by key: [PartialKeyPath<Model>], name: String?,
    _ assignments: (Model.Fields, Elements.Element) throws -> [Assignment<Model>]
  ) throws -> UpsertCounts {
    var upsert = try PlannedUpsert(Model.self, by: key, in: self)
    let fields = Model.Fields(.root)
    for element in elements { try upsert.add(assignments(fields, element)) }
    applyAsOneStep(upsert.changes, name)
    return upsert.counts
  }
}
