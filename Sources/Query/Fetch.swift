import RepriseObjectModel

/// A description of objects to fetch: a model, a condition, an order, sections and a limit.
///
/// ```swift
/// Fetch<Item> { $0.owner.name == "Ada" && $0.valueInDollars > 10 }
///   .sorted { [$0.name.ascending, $0.createdAt.descending] }
/// ```
///
/// A fetch is a value: you can store, compare, send and archive it. A fetch refers to properties by the model's names.
/// A context checks the names when it runs the fetch, and throws a ``FetchError`` for a mismatch.
///
/// The order is always total. Ties are broken by creation: oldest first, or youngest first if the last sort key is
/// descending.
public struct Fetch<Model: PersistentModel>: Hashable, Sendable {
  package var condition: Condition<Model>
  package var sortKeys: [SortKey<Model>]
  package var section: SectionKey<Model>?
  package var limit: Int?
  package var offset: Int

  /// Makes a fetch of all objects of the model, in order of creation.
  public init() {
    condition = Condition(true)
    sortKeys = []
    offset = 0
  }

  /// Makes a fetch of the objects that meet the condition, in order of creation.
  public init(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition<Model>) {
    self.init()
    self.condition = condition(Model.Fields(.root))
  }

  /// Keeps only objects that also meet `condition`.
  public func filter(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition<Model>) -> Fetch {
    var fetch = self
    fetch.condition = self.condition && condition(Model.Fields(.root))
    return fetch
  }

  /// Sorts by these keys, the first one first. Replaces an earlier order.
  @inlinable public consuming func sorted(_ keys: (Model.Fields) -> [SortKey<Model>]) -> Fetch {
    Self.sorted(self, keys)
  }

  /// Sorts by this key. Replaces an earlier order.
  @inlinable public consuming func sorted(_ key: (Model.Fields) -> SortKey<Model>) -> Fetch {
    Self.sorted(self, by: key)
  }

  /// Sorts by a field in ascending order, as in `sorted { $0.name }`. Replaces an earlier order.
  public func sorted<Key: SortKeyConvertible<Model>>(_ key: (Model.Fields) -> Key) -> Fetch {
    sorted { [key($0).sortKey] }
  }

  /// Sorts by these keys, the first one first.
  ///
  /// Replaces an earlier order. A field without a direction is ascending:
  /// `sorted { [$0.owner.name, $0.dueDate.descending] }`.
  public func sorted(_ keys: (Model.Fields) -> [any SortKeyConvertible<Model>]) -> Fetch {
    sorted { fields in keys(fields).map { $0.sortKey } as [SortKey<Model>] }
  }

  // This is static and consumes the fetch, because calling a method of a fetch, or releasing a fetch, needs its
  // metadata. In a new process, instantiating the metadata takes as long as making the list.
  @usableFromInline
  static func sorted(_ fetch: consuming Fetch, _ keys: (Model.Fields) -> [SortKey<Model>]) -> Fetch {
    fetch.sortKeys = keys(Model.Fields(.root))
    return fetch
  }

  @usableFromInline
  static func sorted(_ fetch: consuming Fetch, by key: (Model.Fields) -> SortKey<Model>) -> Fetch {
    sorted(fetch) { [key($0)] }
  }

  /// Divides the results into sections for a list.
  ///
  /// The rows of a section are together, in the order of the fetch. If the key is the first sort key's property, the
  /// sections are in its order, and a list can find them by an index. If it is another property or a ``SectionRule``,
  /// the sections are in the order of their first rows.
  public func sectioned(_ key: (Model.Fields) -> SectionKey<Model>) -> Fetch {
    var fetch = self
    fetch.section = key(Model.Fields(.root))
    return fetch
  }

  /// Divides the results into a section for each value of an attribute; see ``Field/section``.
  public func sectioned<Value>(_ field: (Model.Fields) -> Field<Model, Value>) -> Fetch {
    sectioned { field($0).section }
  }

  /// Divides the results into a section for each object of a to-one relationship.
  ///
  /// A section's name is the text form of the object's ID (`owner.id.description`). The section of objects whose
  /// relationship is empty is named "". To show more about the object, read it from the section's first row. The
  /// sections are in the order of their first rows.
  public func sectioned<Target>(_ field: (Model.Fields) -> ToOneField<Model, Target>) -> Fetch {
    sectioned { SectionKey(term: Term(field($0).path), function: .value) }
  }

  /// Limits the result to `limit` objects, after skipping the first `offset`.
  ///
  /// If a number is negative, the fetch throws ``FetchError/negativeLimit(_:)`` or ``FetchError/negativeOffset(_:)``
  /// when it runs.
  public func limit(_ limit: Int, offset: Int = 0) -> Fetch {
    var fetch = self
    fetch.limit = limit
    fetch.offset = offset
    return fetch
  }

  /// Unavailable: use ``limit(_:offset:)``.
  @available(*, unavailable, message: "to skip rows, use a limit with an offset: 'limit(20, offset: 10)'")
  public func offset(_ count: Int) -> Fetch { self }
}

extension Fetch: Codable {
  /// Archives contain these keys: never rename one.
  private enum CodingKeys: String, CodingKey {
    case entity
    case condition = "where"
    case sortKeys = "sort"
    case section
    case limit
    case offset
  }

  /// Decodes a fetch that ``encode(to:)`` wrote.
  ///
  /// Throws a `DecodingError` for other data, and for a fetch of another model.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entity = try container.decode(String.self, forKey: .entity)
    guard Model.entity.isEverNamed(entity) else {
      throw DecodingError.dataCorruptedError(
        forKey: .entity, in: container,
        debugDescription: "the archived fetch is of '\(entity)', not of '\(Model.entity.name)'")
    }
    condition = try container.decodeIfPresent(Condition<Model>.self, forKey: .condition) ?? Condition(true)
    sortKeys = try container.decodeIfPresent([SortKey<Model>].self, forKey: .sortKeys) ?? []
    section = try container.decodeIfPresent(SectionKey<Model>.self, forKey: .section)
    limit = try container.decodeIfPresent(Int.self, forKey: .limit)
    offset = try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0
  }

  /// Encodes the names of the entity and the properties. Parts that have their defaults, as in `Fetch()`, are left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Model.entity.name, forKey: .entity)
    if condition != Condition(true) { try container.encode(condition, forKey: .condition) }
    if !sortKeys.isEmpty { try container.encode(sortKeys, forKey: .sortKeys) }
    try container.encodeIfPresent(section, forKey: .section)
    try container.encodeIfPresent(limit, forKey: .limit)
    if offset != 0 { try container.encode(offset, forKey: .offset) }
  }
}
