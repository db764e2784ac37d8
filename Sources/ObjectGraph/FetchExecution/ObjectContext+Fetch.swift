import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// Returns the objects that match a fetch, in its order, including uncommitted changes.
  ///
  /// Indexes serve conditions on indexed attributes and on relationships: equality, ranges, prefixes, `isIn`, and `&&`,
  /// `||` and `!` of these. Indexes also serve such conditions through to-one relationships and in `any` of to-many
  /// ones. Search indexes serve searches for words. If a condition names objects by ID or as members, the fetch looks
  /// them up. An index over several properties serves conditions that fix its first properties and compare the next
  /// one. If several plans are possible, the fetch uses the one with the fewest expected rows.
  ///
  /// With a limit, the fetch can also read objects in its sort order until it has enough. The fetch does so if this is
  /// expected to be faster. The order must be the order of creation, of an indexed attribute as the first sort key, or
  /// of an index over several properties. The first sort key can also be an indexed attribute behind a to-one
  /// relationship, with `nil` last or an index over the relationship.
  ///
  /// ``explain(_:)-(Fetch<Model>)`` returns the plan.
  ///
  /// Takes time in proportion to the objects visited and returned. Of a visited object, only the properties in the
  /// condition and order are decoded. Each returned object also takes a lookup in memory, for uncommitted changes and
  /// for saves since the context's position. The first fetch of a model after a save reads all of these changes.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or the store cannot be read.
  public func fetch<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    reads?.add(at: position) { projection in
      try AnyHashable(projection.rows(compiled, map).map { [AnyHashable($0.uuid), AnyHashable($0.values)] })
    }
    let projection = cancellableProjection
    let rows = try projection.rows(compiled, map)
    ran(fetch, "fetch", projection, count: rows.count)
    instances.reserve(rows.count)
    // The array is filled in place, because a generic append would call into the standard library for each object.
    return [Model](unsafeUninitializedCapacity: rows.count) { objects, count in
      for row in rows {
        let object = materialize(AnyObjectID(map.entity.interned, row.uuid), map, values: row.values)
        // True for practically all objects, and ten times faster than a cast.
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

  /// Returns the first object that matches a fetch, in its order, or `nil` if there is none.
  ///
  /// Uncommitted changes are included.
  ///
  /// ```swift
  /// let ada = try context.first(Fetch<Person> { $0.email == "ada@example.org" })
  /// ```
  ///
  /// Takes O(log n) if an index covers the condition and the order. For example, the index of a unique attribute covers
  /// a lookup by its value.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func first<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Model? {
    try self.fetch(fetch.limit(min(fetch.limit ?? 1, 1), offset: fetch.offset)).first
  }

  /// Returns the IDs of the objects that match a fetch, in its order, including uncommitted changes.
  ///
  /// No instances are made. If indexes cover the condition and the order, no objects are read. Otherwise, each visited
  /// object costs the same as in ``fetch(_:)->[Model]``. Each returned ID takes 16 bytes.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or the store cannot be read.
  public func fetchIDs<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model.ID] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    reads?.add(at: position) { try AnyHashable($0.ids(compiled, map)) }
    let projection = cancellableProjection
    let uuids = try projection.ids(compiled, map)
    ran(fetch, "fetchIDs", projection, count: uuids.count)
    return Model.ID.ids(uuids)
  }

  /// Returns selected properties of the objects that match a fetch, with their IDs, in its order.
  ///
  /// Uncommitted changes are included. No instances are made, and no other properties are decoded.
  ///
  /// ```swift
  /// for row in try context.fetchValues(fetch, { ($0.name, $0.owner.name) }) { show(row.id, row.values.0) }
  /// ```
  ///
  /// A value is `nil` if the property has none, lies behind an empty relationship, or has a stored value that is not
  /// valid for its type. Costs the same as ``fetch(_:)->[Model]``. Each property behind a to-one relationship adds one
  /// lookup per object.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or the store cannot be read.
  // Inlinable, because a tuple whose types are known only at run time costs ten times as much as the rest of a row.
  @inlinable
  public func fetchValues<Model: PersistentModel, each Value: AttributeValue>(
    _ fetch: Fetch<Model>, _ fields: (Model.Fields) -> (repeat Field<Model, each Value>)
  ) throws -> [FetchedValues<Model, (repeat (each Value)?)>] {
    let rows = try rows(fetch, of: repeat each fields(Model.Fields(.root)))
    var fetched: [FetchedValues<Model, (repeat (each Value)?)>] = []
    fetched.reserveCapacity(rows.uuids.count)
    var next = 0
    for uuid in rows.uuids {
      let id = Model.ID(uuid: uuid)
      fetched.append(FetchedValues(id: id, values: (repeat rows.value((each Value).self, at: &next))))
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
    let projection = cancellableProjection
    let rows = try projection.rows(compiled, map, of: compiledTerms)
    ran(fetch, "fetchValues", projection, count: rows.uuids.count)
    return rows
  }

  /// Returns the number of objects that match a fetch, including uncommitted changes.
  ///
  /// Takes O(log n) for all objects of a model, and for a condition that is a range of one index. The index may be over
  /// one attribute or several properties. Edits since the last such count add to the cost.
  ///
  /// A count by a to-one relationship alone takes a step for each object that refers to the target. Declare an index
  /// over it, such as `[\.folder]`, to get O(log n). All other counts cost the same as ``fetch(_:)->[Model]`` without
  /// sorting.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func count<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return 0 }
    reads?.add(at: position) { try AnyHashable($0.count(compiled, map)) }
    let projection = cancellableProjection
    let count = try projection.count(compiled, map)
    ran(fetch, "count", projection, count: count)
    return count
  }

  /// Returns whether any object matches a fetch, including uncommitted changes.
  ///
  /// The visit stops at the first match.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func exists<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Bool {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return false }
    reads?.add(at: position) { try AnyHashable($0.exists(compiled, map)) }
    let projection = cancellableProjection
    let exists = try projection.exists(compiled, map)
    ran(fetch, "exists", projection, count: exists ? 1 : 0)
    return exists
  }

  /// Returns the position of an object among the results of a fetch, or `nil` if the object does not match.
  ///
  /// The position is the object's index in the array that ``fetch(_:)->[Model]`` returns. Uncommitted changes are
  /// included.
  ///
  /// Takes O(log n) in two cases:
  ///
  /// - The fetch sorts by one indexed attribute, and has no condition or a range of that attribute.
  /// - An index over several properties covers the order and the condition.
  ///
  /// In both cases, reading the n-th row with `fetch.limit(1, offset: n)` also takes O(log n). Otherwise, the call
  /// costs as much as ``fetchIDs(_:)``.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func rank<Model: PersistentModel>(of id: Model.ID, in fetch: Fetch<Model>) throws -> Int? {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return nil }
    reads?.add(at: position) { try AnyHashable($0.rank(of: id.uuid, compiled, map)) }
    let projection = cancellableProjection
    let rank = try projection.rank(of: id.uuid, compiled, map)
    ran(fetch, "rank", projection, count: rank == nil ? 0 : 1)
    return rank
  }

  /// Runs a fetch without making instances, and returns its plan and cost.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)->[Model]``.
  public func explain<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> FetchExplanation {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    let finding = try cancellableProjection.found(compiled, map, .objects).1
    return FetchExplanation(finding, of: map.entity, unfinished: try unfinishedIndexes(for: fetch))
  }

  /// The indexes under construction that the fetch would use.
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
