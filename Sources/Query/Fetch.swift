import RepriseObjectModel

/// What to fetch: which objects of a model, in which order, in which sections.
///
/// ```swift
/// Fetch<Item> { $0.owner.name == "Ada" && $0.valueInDollars > 10 }
///   .sorted { [$0.name.ascending, $0.createdAt.descending] }
/// ```
///
/// A value: store it, compare it, send it, archive it. It refers to properties by their names in the model, which are
/// checked when a context runs it; a mismatch is a ``FetchError`` then.
///
/// The order is always total: ties are broken by birth, oldest first, or youngest first if the last sort key descends.
public struct Fetch<Model: PersistentModel>: Hashable, Sendable {
  package var condition: Condition<Model>
  package var sortKeys: [SortKey<Model>]
  package var section: SectionKey<Model>?
  package var limit: Int?
  package var offset: Int

  /// All objects of the model.
  public init() {
    condition = Condition(true)
    sortKeys = []
    offset = 0
  }

  /// The objects for which the condition holds.
  public init(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition<Model>) {
    self.init()
    self.condition = condition(Model.Fields(.root))
  }

  /// The objects of this fetch for which `condition` holds as well.
  public func filter(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition<Model>) -> Fetch {
    var fetch = self
    fetch.condition = self.condition && condition(Model.Fields(.root))
    return fetch
  }

  /// Sorted by these keys, the first one first. Replaces the order so far.
  @inlinable public consuming func sorted(_ keys: (Model.Fields) -> [SortKey<Model>]) -> Fetch {
    Self.sorted(self, keys)
  }

  /// Sorted by this key. Replaces the order so far.
  @inlinable public consuming func sorted(_ key: (Model.Fields) -> SortKey<Model>) -> Fetch {
    Self.sorted(self, by: key)
  }

  /// Sorted by a field, ascending: `sorted { $0.name }`. Replaces the order so far.
  public func sorted<Key: SortKeyConvertible<Model>>(_ key: (Model.Fields) -> Key) -> Fetch {
    sorted { [key($0).sortKey] }
  }

  /// Sorted by these keys, the first one first, and ascending where a field stands alone:
  /// `sorted { [$0.owner.name, $0.dueDate.descending] }`. Replaces the order so far.
  public func sorted(_ keys: (Model.Fields) -> [any SortKeyConvertible<Model>]) -> Fetch {
    sorted { fields in keys(fields).map { $0.sortKey } as [SortKey<Model>] }
  }

  // Static and consuming: calling a method, or releasing a fetch, needs its metadata, which takes a fresh process as
  // long to instantiate as to make the list.
  @usableFromInline
  static func sorted(_ fetch: consuming Fetch, _ keys: (Model.Fields) -> [SortKey<Model>]) -> Fetch {
    fetch.sortKeys = keys(Model.Fields(.root))
    return fetch
  }

  @usableFromInline
  static func sorted(_ fetch: consuming Fetch, by key: (Model.Fields) -> SortKey<Model>) -> Fetch {
    sorted(fetch) { [key($0)] }
  }

  /// Divided into sections, for a list, which shows the rows of each section together, in the order of the fetch.
  ///
  /// Made of the first sort key's property, the sections stand in its order, and a list can find them by an index. Made
  /// of any other, or by a ``SectionRule``, they stand in the order in which the first row of each appears in the
  /// fetch.
  public func sectioned(_ key: (Model.Fields) -> SectionKey<Model>) -> Fetch {
    var fetch = self
    fetch.section = key(Model.Fields(.root))
    return fetch
  }

  /// Divided into a section for each value of an attribute, as ``Field/section`` makes them.
  public func sectioned<Value>(_ field: (Model.Fields) -> Field<Model, Value>) -> Fetch {
    sectioned { field($0).section }
  }

  /// Divided into a section for each object that a to-one leads to, and one named "" for nowhere. A section is named as
  /// the object's ID is written (`owner.id.description`); to show more of it, ask the section's first row for it. The
  /// sections stand in the order in which the first row of each appears.
  public func sectioned<Target>(_ field: (Model.Fields) -> ToOneField<Model, Target>) -> Fetch {
    sectioned { SectionKey(term: Term(field($0).path), function: .value) }
  }

  /// At most `limit` objects, after leaving out the first `offset`. A negative number is refused when the fetch runs.
  public func limit(_ limit: Int, offset: Int = 0) -> Fetch {
    var fetch = self
    fetch.limit = limit
    fetch.offset = offset
    return fetch
  }

  /// Not by itself.
  @available(*, unavailable, message: "rows are skipped with a limit: 'limit(20, offset: 10)'")
  public func offset(_ count: Int) -> Fetch { self }
}

extension Fetch: Codable {
  /// Part of archives: never rename a key.
  private enum CodingKeys: String, CodingKey {
    case entity
    case condition = "where"
    case sortKeys = "sort"
    case section
    case limit
    case offset
  }

  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` for anything else, and for a fetch of another model.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entity = try container.decode(String.self, forKey: .entity)
    guard Model.entity.isEverNamed(entity) else {
      throw DecodingError.dataCorruptedError(
        forKey: .entity, in: container, debugDescription: "a fetch of '\(entity)', not of '\(Model.entity.name)'")
    }
    condition = try container.decodeIfPresent(Condition<Model>.self, forKey: .condition) ?? Condition(true)
    sortKeys = try container.decodeIfPresent([SortKey<Model>].self, forKey: .sortKeys) ?? []
    section = try container.decodeIfPresent(SectionKey<Model>.self, forKey: .section)
    limit = try container.decodeIfPresent(Int.self, forKey: .limit)
    offset = try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0
  }

  /// Writes the names of the entity and of the properties, and what is not as in `Fetch()`.
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
