import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// An aggregate over the objects that match a fetch, including uncommitted changes.
  ///
  /// ```swift
  /// let total = try context.aggregate(Fetch<Item> { $0.isSold == true }) { $0.price.sum }
  /// ```
  ///
  /// If the fetch has a limit, only the objects within it count.
  ///
  /// `minimum`, `maximum` and `count` of an indexed attribute are O(log n) if the fetch is all objects, or a range of
  /// that attribute, or if an index over several properties has the attribute behind those that the condition fixes;
  /// `distinctCount` is then O(log n) for each value if they are few. Otherwise every object that may
  /// match is read: only the fields that condition and aggregate name are decoded, and no objects are made. On top come
  /// the uncommitted changes of the model, and the objects that others saved since the context's position.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, a sum overflows, a minimum or maximum is not valid
  ///   for the attribute's type, or the store cannot be read.
  public func aggregate<Model: PersistentModel, Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ aggregate: (Model.Fields) -> Aggregate<Model, Value>
  ) throws -> Value {
    try results(of: fetch, Columns(of: aggregate(Model.Fields(.root))))
  }

  /// Several aggregates over the objects that match a fetch, as a tuple; otherwise like a single one. What no index
  /// tells is read once for all of them.
  ///
  /// ```swift
  /// let (least, greatest) = try context.aggregate(Fetch<Item>()) { ($0.price.minimum, $0.price.maximum) }
  /// ```
  public func aggregate<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ aggregates: (Model.Fields) -> (repeat Aggregate<Model, each Value>)
  ) throws -> (repeat each Value) {
    try results(of: fetch, Columns(aggregates))
  }

  private func results<Model: PersistentModel, Values: Sendable>(
    of fetch: Fetch<Model>, _ columns: Columns<Values>
  ) throws -> Values {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    return try columns.values(projection.aggregates(columns.terms, compiled, map))
  }

  /// How aggregates are computed, and what that costs: what `explain` says of a fetch of the objects that are read.
  /// None is visited where indexes tell the results.
  ///
  /// - Throws: ``FetchError``, like the aggregates.
  public func explain<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ aggregates: (Model.Fields) -> (repeat Aggregate<Model, each Value>)
  ) throws -> FetchExplanation {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try projection.foundAggregates(Columns(aggregates).terms, compiled, map).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: fetch))
  }

  /// How a grouped fetch is run, and what that costs. Runs it. ``FetchExplanation/rowsInMemory`` counts the groups.
  ///
  /// - Throws: ``FetchError``, like the fetch.
  public func explain<Model: PersistentModel, Key: Sendable, Values: Sendable>(
    _ grouped: GroupedFetch<Model, Key, Values>
  ) throws -> FetchExplanation {
    let compiled = try CompiledGrouping(grouped, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try projection.foundGroups(compiled, map).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: grouped.fetch))
  }

  /// The different values of a field among the objects that match a fetch, including uncommitted changes, in ascending
  /// order. nil is left out. Of values that compare equal, such as a text in two Unicode forms, it is the oldest
  /// object's.
  ///
  /// O(log n) for each value if there are few, the attribute is indexed, and the fetch is all objects or a range of
  /// that attribute. Otherwise every object that may match is read, as for an aggregate. Takes memory for each
  /// value.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, a value is not valid for the attribute's type, or the
  ///   store cannot be read.
  public func distinct<Model: PersistentModel, Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ field: (Model.Fields) -> Field<Model, Value>
  ) throws -> [Value] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let term = field(Model.Fields(.root))._groupTerm
    return try projection.distinct(term, compiled, map).map { stored in
      guard let value = Value.from(stored) else {
        throw FetchError.misread(term.description, stored, of: "\(Value.self)")
      }
      return value
    }
  }

  /// The different objects that a to-one leads to from the objects that match a fetch, as their IDs, by birth,
  /// including uncommitted changes. Nowhere is left out.
  ///
  /// Every object that may match is read, of which only what the condition names and the relationship are decoded.
  /// Takes memory for each ID.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public func distinct<Model: PersistentModel, Target: PersistentModel>(
    _ fetch: Fetch<Model>, _ field: (Model.Fields) -> ToOneField<Model, Target>
  ) throws -> [Target.ID] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    return try projection.distinct(field(Model.Fields(.root))._groupTerm, compiled, map).compactMap { stored in
      stored.reference.flatMap { Target.ID($0) }
    }
  }

  /// The groups of a fetch with their aggregates, including uncommitted changes, in the order of the fetch.
  ///
  /// Every object that may match is read once, and only the fields that condition, keys and aggregates name are
  /// decoded; no objects are made. Takes memory for each group, whether or not it is within the limit, and for
  /// `distinctCount` for each value. Groups by an indexed attribute, of which only the number of objects is asked, are
  /// O(log n) each if they are few. A key or value behind a to-one relationship costs one more read for each object at
  /// the other end.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, a sum overflows, a key is not valid for the
  ///   attribute's type, or the store cannot be read.
  public func fetch<Model: PersistentModel, Key: Sendable, Values: Sendable>(
    _ grouped: GroupedFetch<Model, Key, Values>
  ) throws -> [Group<Key, Values>] {
    let compiled = try CompiledGrouping(grouped, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    return try projection.groups(compiled, map).map { row in
      Group(key: try grouped.key(row.keys), count: row.count, values: try grouped.values(row.values))
    }
  }
}
