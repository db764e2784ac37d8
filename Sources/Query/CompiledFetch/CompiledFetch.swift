import RepriseObjectModel

/// A fetch with its names resolved against the models of a store. It filters objects and orders them.
///
/// The order of a fetch is the byte order of ``sortKey(of:id:source:)``. For a fetch that a counted index covers, that
/// is the row key of the index, or its complement if the fetch descends.
package struct CompiledFetch: Hashable, Sendable {
  package let entity: Entity
  /// The most objects. `nil` for all.
  package private(set) var limit: Int?
  /// The number of skipped objects.
  package private(set) var offset: Int
  /// The function that makes the section of an object from the value of the first sort key. `nil` for a fetch without
  /// sections, or with sections made from another value.
  package private(set) var section: SectionFunction?
  /// The sections made from another value than the first sort key. The order does not keep the rows of such a section
  /// together.
  private(set) var grouping: Grouping?
  /// The access path to all possible matches.
  package let access: AccessPath
  /// Whether every object on the access path matches. If not, the condition is evaluated for each.
  package let accessIsExact: Bool
  let condition: CompiledCondition
  /// The condition as cheap tests, if it can be expressed by them. Otherwise empty.
  package let numberTests: NumberTests
  private(set) var sorts: [Sort]
  /// The additional values that a list shows in its rows.
  let shown: [CompiledTerm]
  /// The range of IDs that contains all matches, from the condition's comparisons of IDs. `nil` if nothing matches.
  package let births: ClosedRange<UniqueID>?
  /// The entity's indexes over several columns under the condition.
  package let columnRanges: [ColumnRange]
  /// The slots of the entity's indexes that are being built.
  let unreadyIndexes: [Int]
  /// The counted index that covers this fetch, apart from limit and offset. `nil` if none does.
  package private(set) var countedIndex: CountedIndex?
  /// The indexes that have the order of the first sort key behind a to-one. `nil` if there are none.
  package private(set) var referenceOrder: ReferenceOrder?
  /// Whether the order matters. If it does not, there are no sort keys.
  package private(set) var isOrdered = true

  struct Grouping: Hashable, Sendable {
    let term: CompiledTerm
    let function: SectionFunction
    let rule: StoredSectionRule?

    func name(of value: PropertyValue) -> String { rule?.section?(value) ?? function.name(of: value, term.collation) }
  }

  struct Sort: Hashable, Sendable {
    let term: CompiledTerm
    let isAscending: Bool
    /// Whether nil is greater than every value. In an index, it is less.
    let isNilGreatest: Bool
  }

  /// - Parameter showing: The additional values that a list shows in its rows. They do not change which rows there are.
  package init<Model: PersistentModel>(
    _ fetch: Fetch<Model>, schema: ResolvedSchema, showing: [SortKey<Model>] = []
  ) throws(FetchError) {
    let entity = Model.entity
    guard schema.byName[entity.interned] === entity else { throw .unknownEntity(entity.name) }
    if let limit = fetch.limit, limit < 0 { throw .negativeLimit(limit) }
    guard fetch.offset >= 0 else { throw .negativeOffset(fetch.offset) }
    self.entity = entity
    limit = fetch.limit
    offset = fetch.offset
    condition = try CompiledCondition(fetch.condition.steps, of: entity, in: schema)
    numberTests = NumberTests(of: condition)
    var sorts: [Sort] = []
    for key in fetch.sortKeys {
      let term = try CompiledTerm(key.term, of: entity, in: schema)
      if case .toOne = term.end {
        throw CompiledTerm.notAnAttribute(key.term, of: entity, in: schema)
      }
      // IDs are unique, so later sort keys have no effect. The ID itself is the last sort key in any case.
      if case .id = term.end, key.isAscending == sorts.last?.isAscending ?? true { break }
      let isNilGreatest = key.isNilGreatest && !condition.excludesNil(of: term) && !term.isNeverNil(in: entity)
      sorts.append(Sort(term: term, isAscending: key.isAscending, isNilGreatest: isNilGreatest))
    }
    self.sorts = sorts
    if let section = fetch.section {
      if let rule = section.rule, rule.section == nil { throw .unknownSectionRule(rule.name) }
      if section.rule == nil, section.function == .value, section.term.collation.locale != .none {
        throw .unnamedSections(section.term.description)
      }
      if section.rule == nil, section.term == fetch.sortKeys.first?.term {
        self.section = section.function
      } else {
        let term = try CompiledTerm(section.term, of: entity, in: schema)
        if case .toOne = term.end, section.rule != nil || section.function != .value {
          throw CompiledTerm.notAnAttribute(section.term, of: entity, in: schema)
        }
        grouping = Grouping(term: term, function: section.function, rule: section.rule)
      }
    }
    var shown: [CompiledTerm] = []
    for key in showing { shown.append(try CompiledTerm(key.term, of: entity, in: schema)) }
    self.shown = shown
    let access = Access(condition, entity, schema)
    self.access = access.path
    accessIsExact = access.isExact
    births = condition.births()
    let unready = schema.unreadyIndexes(of: entity)
    unreadyIndexes = unready
    columnRanges =
      entity.indexes.isEmpty ? [] : entity.columnRanges(access.columns).filter { !unready.contains($0.slot) }
    countedIndex = findCountedIndex()
    referenceOrder = Self.referenceOrder(sorts, entity, condition, access.path, schema)
  }

  /// The fetch with the same condition, without order, sections or offset.
  package func unordered(limit: Int?) -> CompiledFetch {
    var fetch = self
    (fetch.limit, fetch.offset, fetch.section, fetch.sorts, fetch.isOrdered) = (limit, 0, nil, [], false)
    (fetch.grouping, fetch.countedIndex, fetch.referenceOrder) = (nil, nil, nil)
    return fetch
  }

  /// Whether an object with these values matches.
  package func matches(
    _ values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource
  ) -> Bool {
    numberTests.hold(of: values) ?? condition.holds(of: values, id, source)
  }

  /// Bytes with the order of the fetch: the order keys of its sort keys, then the object's UUID. Descending keys are
  /// inverted. The UUID is inverted if the last sort key is. No two objects have the same bytes.
  package func sortKey(
    of values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource
  ) -> [UInt8] {
    var key: [UInt8] = []
    appendSortKey(of: values, id: id, source: source, to: &key)
    return key
  }

  /// Appends ``sortKey(of:id:source:)`` to an empty buffer, which the caller may reuse for the next object.
  package func appendSortKey(
    of values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource, to key: inout [UInt8]
  ) {
    if let counted = countedIndex, let index = entity.index(counted.slot) {
      key += index.rowKeys(values, id.uuid)[0]
      if !counted.isAscending { Self.invert(&key, from: 0) }
      return
    }
    for sort in sorts {
      let start = key.count
      let value = sort.term.key(values, id, source)
      // This byte is greater than the tag of every key.
      if sort.isNilGreatest && value.isNull { key.append(.max) } else { OrderKey.append(value, to: &key) }
      if !sort.isAscending { Self.invert(&key, from: start) }
    }
    let start = key.count
    withUnsafeBytes(of: (id.uuid.high.bigEndian, id.uuid.low.bigEndian)) { key.append(contentsOf: $0) }
    if sorts.last?.isAscending == false { Self.invert(&key, from: start) }
  }

  /// The UUID of the object with this sort key.
  package func uuid(ofSortKey key: Slice<UnsafeRawBufferPointer>) -> UniqueID {
    var words: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: key.suffix(16)) }
    let mask: UInt64 = sorts.last?.isAscending == false ? .max : 0
    return UniqueID(high: UInt64(bigEndian: words.0) ^ mask, low: UInt64(bigEndian: words.1) ^ mask)
  }

  /// The order of the texts that make the sections.
  package var sectionCollation: Collation { sorts.first?.term.collation ?? .binary }

  /// The section of an object. `nil` for a fetch without sections.
  package func sectionName(
    of values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource
  ) -> String? {
    if let grouping { return grouping.name(of: grouping.term.value(values, id, source)) }
    guard let section, let sort = sorts.first else { return nil }
    return section.name(of: sort.term.value(values, id, source), sort.term.collation)
  }

  /// Whether the sections are made from another value than the first sort key. Then they are in the order of their
  /// first rows.
  package var isGrouped: Bool { grouping != nil }

  /// The section of the object with this sort key. `nil` for a fetch without sections, or with grouped ones.
  package func sectionName(ofSortKey key: [UInt8]) -> String? {
    guard let section, let sort = sorts.first else { return nil }
    var key = key
    if !sort.isAscending { Self.invert(&key, from: 0) }
    return section.name(ofRowKey: Array(key.dropFirst(countedIndex?.sectionStart ?? 0)), sort.term.collation)
  }

  /// Whether a sort key or the condition reads other objects. Then a change of another object can change the result.
  package var readsOtherObjects: Bool {
    condition.readsOtherObjects || sorts.contains { $0.term.readsOtherObjects }
      || grouping?.term.readsOtherObjects ?? false
  }

  private static func invert(_ bytes: inout [UInt8], from start: Int) {
    for index in start..<bytes.count { bytes[index] = ~bytes[index] }
  }
}

extension CompiledTerm {
  fileprivate var readsOtherObjects: Bool {
    switch end {
    case .attribute, .toOne(_, true, _): !hops.isEmpty
    case .toOne(_, false, _), .count: true
    case .id: false
    case .computed(let computation): computation.terms.contains { $0.readsOtherObjects }
    }
  }
}

extension CompiledCondition {
  fileprivate var readsOtherObjects: Bool {
    switch self {
    case .constant: false
    case .not(let condition): condition.readsOtherObjects
    case .and(let conditions), .or(let conditions): conditions.contains { $0.readsOtherObjects }
    case .compare(let term, _, _), .isIn(let term, _), .text(let term, _): term.readsOtherObjects
    case .compareTerms(let left, _, let right): left.readsOtherObjects || right.readsOtherObjects
    case .any, .all: true
    }
  }
}
