import RepriseObjectModel
import RepriseQuery

extension EditingContext {
  /// Finds the object with these values of unique properties, or inserts one, and assigns to it: SQL's `insert … on
  /// conflict do update`.
  ///
  /// ```swift
  /// let (ada, outcome) = try context.upsert(by: \Person.email) {
  ///   [$0.email.set(to: "ada@example.org"), $0.name.set(to: "Ada")]
  /// }
  /// ```
  ///
  /// It is found among uncommitted changes as well, of this context and of those below. Only what is assigned changes;
  /// a new object has the defaults of the model otherwise, and none of its initialisers runs. One undo step, or none if
  /// nothing changes. O(log n).
  ///
  /// What others save meanwhile is seen at the save, which is refused with `SaveError.violations` if they inserted an
  /// object with these values: ``discard(_:)-(AnyObjectID)`` yours, `refresh()`, and upsert again. An upsert in batches
  /// by a `BackgroundContext` does so by itself.
  ///
  /// - Parameters:
  ///   - key: The properties by which to find it: a unique attribute, or all that are unique together.
  ///   - name: The name of the undo step.
  ///   - assignments: What to assign, including a value for each property of the key.
  /// - Returns: The object, and what was done.
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

  /// Upserts an object for each element of a sequence, without making objects; otherwise like one.
  ///
  /// ```swift
  /// try context.upsert(rows, by: \Person.email) { person, row in
  ///   [person.email.set(to: row.email), person.name.set(to: row.name)]
  /// }
  /// ```
  ///
  /// Elements with equal unique values are about one object; the later one counts. One undo step. Costs O(log n) for
  /// each element, and memory for what changes. A save takes 100,000 objects at most; see `BackgroundContext` for
  /// upserts in several saves.
  ///
  /// - Returns: What was done.
  /// - Throws: ``UpdateError``, ``FetchError``. Then nothing has changed.
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
