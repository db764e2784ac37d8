import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// The objects that match a fetch, in its order, including uncommitted changes.
  ///
  /// Conditions on indexed attributes and relationships are served by their indexes: equality, ranges, prefixes,
  /// `isIn`, `&&`, `||` and `!` of these, through to-ones, and `any` of to-manys; searches for words by search indexes;
  /// objects named by ID or as members are looked up. An index over several properties serves conditions that fix its
  /// first ones and compare the next. Of several ways the one with the fewest rows is taken. With a limit, and sorted
  /// by an indexed attribute first, or not at all, or as an index over several properties is, objects are read in that
  /// order until there are enough, if that is expected to be sooner. So they are where the first sort key is an indexed
  /// attribute behind a to-one: nil last, or with an index over the to-one.
  /// ``explain(_:)-(Fetch<Model>)`` shows the plan.
  ///
  /// Costs the objects on the way, of which only what condition and order name is decoded, and those returned.
  /// Uncommitted changes, and what others saved since the context's position, cost a look-up in memory for each object
  /// that may be returned; the first fetch of a model after a save reads them all.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public func fetch<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    reads?.add(at: position) { projection in
      try AnyHashable(projection.rows(compiled, map).map { [AnyHashable($0.uuid), AnyHashable($0.values)] })
    }
    let rows = try projection.rows(compiled, map)
    instances.reserve(rows.count)
    // Filled in place: a generic append is a call into the standard library for each.
    return [Model](unsafeUninitializedCapacity: rows.count) { objects, count in
      for row in rows {
        let object = materialize(AnyObjectID(map.entity.interned, row.uuid), map, values: row.values)
        // As good as always, and a tenth of a cast.
        if type(of: object) == Model.self {
          objects.initializeElement(at: count, to: unsafeDowncast(object, to: Model.self))
        } else if let object = object as? Model {
          objects.initializeElement(at: count, to: object)
        } else {
          continue
        }
        count += 1
      }
    }
  }

  /// The first object that matches a fetch, in its order, including uncommitted changes; `nil` if none does.
  ///
  /// ```swift
  /// let ada = try context.first(Fetch<Person> { $0.email == "ada@example.org" })
  /// ```
  ///
  /// O(log n) if an index has condition and order, as those of unique properties do.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func first<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Model? {
    try self.fetch(fetch.limit(min(fetch.limit ?? 1, 1), offset: fetch.offset)).first
  }

  /// The IDs of the objects that match a fetch, in its order, including uncommitted changes. No object is made, and if
  /// indexes cover condition and order, none is read.
  ///
  /// Costs as ``fetch(_:)->[Model]`` up to the returned objects, of which it costs 16 bytes each.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public func fetchIDs<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model.ID] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    reads?.add(at: position) { try AnyHashable($0.ids(compiled, map)) }
    return Model.ID.ids(try projection.ids(compiled, map))
  }

  /// Some properties of the objects that match a fetch, and their IDs, in its order, including uncommitted changes. No
  /// object is made, and nothing else is decoded.
  ///
  /// ```swift
  /// for row in try context.fetchValues(fetch, { ($0.name, $0.owner.name) }) { show(row.id, row.values.0) }
  /// ```
  ///
  /// A value is `nil` where the property has none, behind a missing link, and where what is stored is not valid for its
  /// type. Costs as ``fetch(_:)->[Model]``; each property behind a to-one is a look-up.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  // Inlinable, because tuples whose types are known only at run time cost ten times the rest of a row.
  @inlinable
  public func fetchValues<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ fields: (Model.Fields) -> (repeat Field<Model, each Value>)
  ) throws -> [FetchedValues<Model, (repeat (each Value)?)>] {
    let rows = try rows(fetch, of: repeat each fields(Model.Fields(.root)))
    var fetched: [FetchedValues<Model, (repeat (each Value)?)>] = []
    fetched.reserveCapacity(rows.uuids.count)
    var next = 0
    for uuid in rows.uuids {
      func value<V: AttributeValue>(_: V.Type) -> V? {
        defer { next += 1 }
        return rows.values[next].isNull ? nil : V.from(rows.values[next])
      }
      fetched.append(FetchedValues(id: Model.ID(uuid: uuid), values: (repeat value((each Value).self))))
    }
    return fetched
  }

  /// The values of some fields for each object.
  @usableFromInline
  func rows<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, of fields: repeat Field<Model, each Value>
  ) throws(FetchError) -> Projection.TermRows {
    var terms: [Term] = []
    for field in repeat each fields { terms.append(field.term) }
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    let compiledTerms = try CompiledTerms(terms, of: Model.entity, in: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return Projection.TermRows() }
    reads?.add(at: position) { try AnyHashable($0.rows(compiled, map, of: compiledTerms)) }
    return try projection.rows(compiled, map, of: compiledTerms)
  }

  /// The number of objects that match a fetch, including uncommitted changes.
  ///
  /// O(log n) for all objects of a model and for conditions that are ranges of one index, over an attribute or over
  /// several properties, and what was edited since the last count of its kind. By a to-one alone it costs a step for
  /// each object that refers there; an index that is declared (`[\.folder]`) has their number. Any other count costs as
  /// ``fetch(_:)->[Model]`` without its order.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func count<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return 0 }
    reads?.add(at: position) { try AnyHashable($0.count(compiled, map)) }
    return try projection.count(compiled, map)
  }

  /// Whether any object matches a fetch, including uncommitted changes. Ends with the first one found.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func exists<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Bool {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return false }
    reads?.add(at: position) { try AnyHashable($0.exists(compiled, map)) }
    return try projection.exists(compiled, map)
  }

  /// The number of rows before an object in the order of a fetch, including uncommitted changes: its place among those
  /// that ``fetch(_:)->[Model]`` returns. `nil` if it is not among them.
  ///
  /// O(log n) if the fetch is sorted by one indexed attribute, and its condition, if any, is a range of that attribute,
  /// or if an index over several properties has both; the n-th row, `fetch.limit(1, offset: n)`, is then O(log n) as
  /// well. Otherwise it costs ``fetchIDs(_:)``.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func rank<Model: PersistentModel>(of id: Model.ID, in fetch: Fetch<Model>) throws -> Int? {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return nil }
    reads?.add(at: position) { try AnyHashable($0.rank(of: id.uuid, compiled, map)) }
    return try projection.rank(of: id.uuid, compiled, map)
  }

  /// How a fetch is run, and what that costs. Runs it, without making objects.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func explain<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> FetchExplanation {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try projection.found(compiled, map, .objects).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: fetch))
  }

  /// Of the indexes that are being built those that the fetch would use.
  package func unfinishedIndexes<Model: PersistentModel>(for fetch: Fetch<Model>) throws(FetchError) -> [String] {
    var schema = store.map.schema
    let unready = schema.unreadyIndexes
    if unready.isEmpty { return [] }
    schema.unreadyIndexes = []
    let used = try CompiledFetch(fetch, schema: schema).indexes
    return unready.filter { index in used.contains { $0.entity === index.entity && $0.slot == index.slot } }
      .map { index in
        let name = index.entity.properties[index.slot].name
        return index.entity === Model.entity ? name : "\(index.entity.name).\(name)"
      }
  }
}
