import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// Computes an aggregate over the objects that match a fetch, including uncommitted changes.
  ///
  /// ```swift
  /// let total = try context.aggregate(Fetch<Item> { $0.isSold == true }) { $0.price.sum }
  /// ```
  ///
  /// If the fetch has a limit, the aggregate covers only the objects within it.
  ///
  /// `minimum`, `maximum` and `count` take O(log n) in two cases:
  ///
  /// - The attribute is indexed, and the fetch covers all objects or a range of the attribute.
  /// - There is an index over several properties. The condition has fixed values for the first properties, and the
  ///   attribute is the next one.
  ///
  /// In both cases, `distinctCount` takes O(log n) for each value, if there are few values.
  ///
  /// Otherwise, every object that may match is read. Only the fields that the condition and the aggregate use are
  /// decoded, and no instances are made. Uncommitted changes of the model, and objects saved by other contexts after
  /// this context's position, add to the cost.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, a sum overflows, or the store cannot be read. Also
  ///   if a value is not valid for the attribute's type. A sum, an average and a distinct count check each value. A
  ///   minimum or maximum checks only the result.
  public func aggregate<Model: PersistentModel, Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ aggregate: (Model.Fields) -> Aggregate<Model, Value>
  ) throws -> Value {
    try results(of: fetch, Columns(of: aggregate(Model.Fields(.root))))
  }

  /// Computes several aggregates over the objects that match a fetch, as a tuple.
  ///
  /// Costs as much as computing each aggregate alone, except that aggregates without an index share one pass over the
  /// objects.
  ///
  /// - Throws: ``FetchError``, like an aggregate alone.
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
    let projection = cancellableProjection
    let values = try projection.aggregates(columns.terms, compiled, map)
    ran(fetch, "aggregate", projection, count: values.count)
    return try columns.values(values)
  }

  /// Computes aggregates, and explains how the context found the objects for them.
  ///
  /// If indexes answer all aggregates, ``FetchExplanation/visits`` is 0. Otherwise the explanation describes the pass
  /// over the objects for the other aggregates.
  ///
  /// - Throws: ``FetchError``, like the aggregates.
  public func explain<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ aggregates: (Model.Fields) -> (repeat Aggregate<Model, each Value>)
  ) throws -> FetchExplanation {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try cancellableProjection.foundAggregates(Columns(aggregates).terms, compiled, map).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: fetch))
  }

  /// Runs a grouped fetch, and explains how the context found its objects.
  ///
  /// ``FetchExplanation/rowsInMemory`` is the number of groups, or a larger number of rows that the fetch kept in
  /// memory at once.
  ///
  /// - Throws: ``FetchError``, like the fetch.
  public func explain<Model: PersistentModel, Key: Sendable, Values: Sendable>(
    _ grouped: GroupedFetch<Model, Key, Values>
  ) throws -> FetchExplanation {
    let compiled = try CompiledGrouping(grouped, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try cancellableProjection.foundGroups(compiled, map).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: grouped.fetch))
  }

  /// Returns the distinct values of a field among the objects that match a fetch, in ascending order.
  ///
  /// Uncommitted changes are included, and `nil` is not. Of values that compare equal, such as one text in two Unicode
  /// forms, the result contains the oldest object's value.
  ///
  /// If there are few values, and the attribute is indexed, each value takes O(log n). The fetch must then cover all
  /// objects or a range of that attribute. In all other cases, every object that may match is read, as for an
  /// aggregate. Memory use is proportional to the number of values.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, a value is not valid for the attribute's type, or
  ///   the store cannot be read.
  public func distinct<Model: PersistentModel, Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ field: (Model.Fields) -> Field<Model, Value>
  ) throws -> [Value] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let term = field(Model.Fields(.root))._groupTerm
    let projection = cancellableProjection
    let found = try projection.distinct(term, compiled, map)
    ran(fetch, "distinct", projection, count: found.count)
    return try found.map { stored in
      guard let value = Value.from(stored) else {
        throw FetchError.misread(term.description, stored, of: Value.self)
      }
      return value
    }
  }

  /// Returns the distinct targets of a to-one relationship among the objects that match a fetch.
  ///
  /// The result contains IDs in order of creation. Uncommitted changes are included. Objects whose relationship is
  /// empty are ignored.
  ///
  /// Every object that may match is read. Only the relationship and the properties that the condition uses are decoded.
  /// Memory use is proportional to the number of IDs.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or the store cannot be read.
  public func distinct<Model: PersistentModel, Target: PersistentModel>(
    _ fetch: Fetch<Model>, _ field: (Model.Fields) -> ToOneField<Model, Target>
  ) throws -> [Target.ID] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let term = field(Model.Fields(.root))._groupTerm
    let projection = cancellableProjection
    let found = try projection.distinct(term, compiled, map)
    ran(fetch, "distinct", projection, count: found.count)
    return found.compactMap { stored in
      stored.reference.flatMap { Target.ID($0) }
    }
  }

  /// Returns the groups of a grouped fetch with their aggregates, in the order of the fetch.
  ///
  /// Uncommitted changes are included. Every object that may match is read once. Only the fields that the condition,
  /// the keys and the aggregates use are decoded, and no instances are made. If a key or a value is behind a to-one
  /// relationship, each object at the other end costs one more read.
  ///
  /// An index can answer alone under four conditions. The only key is an indexed attribute, and the only aggregate is
  /// the number of objects. The fetch covers all objects or a range of that attribute. And the groups are few, or have
  /// 64 objects or more on average. Each group then takes O(log n), and no objects are read.
  ///
  /// Memory use is proportional to the number of groups, even beyond the limit of the fetch. `distinctCount` also keeps
  /// each value.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, a sum overflows, or the store cannot be read. Also
  ///   if a key is not valid for the attribute's type.
  public func fetch<Model: PersistentModel, Key: Sendable, Values: Sendable>(
    _ grouped: GroupedFetch<Model, Key, Values>
  ) throws -> [Group<Key, Values>] {
    let compiled = try CompiledGrouping(grouped, schema: store.map.schema)
    reads?.addEverything()
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let projection = cancellableProjection
    let rows = try projection.groups(compiled, map)
    ran(grouped.fetch, "groups", projection, count: rows.count)
    return try rows.map { row in
      Group(key: try grouped.key(row.keys), count: row.count, values: try grouped.values(row.values))
    }
  }
}
