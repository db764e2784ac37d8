import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Fetches by entities, for tools that are written once for all models.

extension ObjectContext {
  /// The objects of an entity that have all of these values, by the names of its properties: with an empty dictionary
  /// all objects.
  ///
  /// ```swift
  /// let people = try context.fetch(store.entity(named: "Person"), ["city": .string("Paris")], sortedBy: "name")
  /// ```
  ///
  /// Costs as a fetch of the model does. Other conditions are made of `AnyField` in a function that is generic over the
  /// model, and called with ``Entity/model``.
  ///
  /// - Parameters:
  ///   - values: What attributes and to-ones are; a path of names leads through to-ones: `"owner.name"`.
  ///   - keys: Names of attributes, or paths, by which the objects are ascending; by birth if there is none.
  ///   - limit: How many to return at most.
  ///   - offset: How many to leave out first.
  /// - Throws: ``FetchError``: the store was not opened with the entity, it has no such property, a value is of another
  ///   kind, or something cannot be read.
  public func fetch(
    _ entity: Entity, _ values: [String: PropertyValue] = [:], sortedBy keys: String..., limit: Int? = nil,
    offset: Int = 0
  ) throws -> [any PersistentModel] {
    func fetch<Model: PersistentModel>(_ model: Model.Type) throws -> [any PersistentModel] {
      var fetch = try Fetch<Model>(values)
      let keys = try keys.map { try SortKey<Model>(named: $0) }
      if !keys.isEmpty { fetch = fetch.sorted { _ in keys } }
      if limit != nil || offset > 0 { fetch = fetch.limit(limit ?? .max, offset: offset) }
      return try self.fetch(fetch)
    }
    return try fetch(entity.model)
  }

  /// How many objects of an entity have all of these values. Costs as the count of a fetch of the model.
  ///
  /// - Throws: ``FetchError``, like the fetch by an entity.
  public func count(_ entity: Entity, _ values: [String: PropertyValue] = [:]) throws -> Int {
    func count<Model: PersistentModel>(_ model: Model.Type) throws -> Int { try self.count(Fetch<Model>(values)) }
    return try count(entity.model)
  }
}

extension Fetch {
  fileprivate init(_ values: [String: PropertyValue]) throws {
    let conditions = try values.sorted { $0.key < $1.key }.map { try AnyField<Model>(named: $0.key) == $0.value }
    self.init { _ in .all(conditions) }
  }
}
