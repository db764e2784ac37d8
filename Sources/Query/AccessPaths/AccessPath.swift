import RepriseObjectModel

/// The objects that may meet a condition according to the indexes. Objects outside the path do not match.
package indirect enum AccessPath: Hashable, Sendable {
  /// All objects of the entity.
  case scan
  /// The objects with these IDs, ascending. Some of them may not exist.
  case objects([UniqueID])
  /// The objects whose rows in the counted index in `slot` lie in these ranges.
  ///
  /// The index over an attribute, or over several columns, has a row for every object of the entity, nil values first.
  case index(slot: Int, KeyRanges)
  /// The objects with rows in each of these ranges of the search index in `slot`. There is at least one range.
  ///
  /// Such an index has a row for each different word of an object's text.
  case search(slot: Int, [WordRange])
  /// The objects whose stored to-one in `slot` leads to one of these targets.
  case inverse(slot: Int, targets: [AnyObjectID])
  /// The objects whose stored to-one in `slot` leads to an object of this entity on the inner path.
  case through(slot: Int, Entity, AccessPath)
  /// The objects that an object of another entity refers to by its to-one in `slot`. The other object is on the inner
  /// path.
  case referred(by: Entity, slot: Int, AccessPath)
  /// The objects on any of the paths. If there are no paths, there are no objects.
  case union([AccessPath])
  /// The objects that are on every path. Each path alone would find them. There are at least two.
  case intersection([AccessPath])

  package static var nothing: AccessPath { .union([]) }
}

/// The access path of a condition, and whether all objects on it meet the condition.
struct Access {
  var path: AccessPath
  var isExact: Bool
  /// The condition's constraints on single properties, for indexes over several properties.
  var columns = ColumnConstraints.unknown

  static var unknown: Access { Access(path: .scan, isExact: false) }
  static func always(_ holds: Bool) -> Access {
    var access = Access(path: holds ? .scan : .nothing, isExact: true)
    if holds { access.columns = .none }
    return access
  }

  init(path: AccessPath, isExact: Bool) {
    self.path = path
    self.isExact = isExact
  }

  init(_ condition: CompiledCondition, _ entity: Entity, _ schema: ResolvedSchema) {
    self.init(condition, isHolding: true, entity, schema)
  }

  /// The access of the condition, or of its negation if `isHolding` is false. A negation is pushed down to the leaves.
  private init(_ condition: CompiledCondition, isHolding: Bool, _ entity: Entity, _ schema: ResolvedSchema) {
    switch condition {
    case .constant(let value): self = .always(value == isHolding)
    case .not(let inner): self.init(inner, isHolding: !isHolding, entity, schema)
    case .and(let parts), .or(let parts):
      let parts = parts.map { Access($0, isHolding: isHolding, entity, schema) }
      let isAnd = if case .and = condition { true } else { false }
      self = isAnd == isHolding ? .both(parts) : .either(parts)
      if !entity.indexes.isEmpty {
        let columns = parts.map(\.columns)
        self.columns = isAnd == isHolding ? .intersection(columns) : .union(columns)
      }
    case .compare, .isIn, .text, .any:
      let leaf = Access(leaf: condition, entity, schema)
      self = isHolding ? leaf : leaf.complement
      if !entity.indexes.isEmpty {
        let columns = ColumnConstraints(leaf: condition)
        self.columns = (isHolding ? columns : columns.complement).enumerated(of: entity)
      }
    case .compareTerms, .all: self = .unknown
    }
    if !entity.indexes.isEmpty { useColumns(of: entity, besides: schema.unreadyIndexes(of: entity)) }
  }

  /// Uses an index over several columns if that leads to fewer objects.
  private mutating func useColumns(of entity: Entity, besides unready: [Int]) {
    let ranges = entity.columnRanges(columns).filter { !$0.used.isEmpty && !unready.contains($0.slot) }
    if path == .nothing || ranges.isEmpty { return }
    if ranges.contains(where: { $0.ranges.ranges.isEmpty }) {
      self = .always(false)
      return
    }
    // An exact path has only the matches, so no path has fewer objects.
    if isExact, case .index = path { return }
    if let exact = ranges.first(where: \.isExact) {
      (path, isExact) = (.index(slot: exact.slot, exact.ranges), true)
      return
    }
    var best: [ColumnRange] = []
    for range in ranges
    where !ranges.contains(where: { $0.used.isStrictSuperset(of: range.used) })
      && !best.contains(where: { $0.used == range.used })
    {
      best.append(range)
    }
    // Each chosen index replaces the paths whose constraints it includes.
    var parts: [AccessPath]
    switch path {
    case .scan: parts = []
    case .intersection(let paths): parts = paths
    default: parts = [path]
    }
    parts.removeAll { part in
      switch part {
      // The path of a disjunction may be narrower than the ranges of the columns, and stays then.
      case .index(let slot, let path):
        ranges.contains { $0.slot == slot && .intersection([$0.ranges, path]) == $0.ranges }
      case .inverse(let slot, _): best.contains { $0.used.contains(ColumnTerm(slot: slot, collation: .binary)) }
      default: false
      }
    }
    parts = best.map { .index(slot: $0.slot, $0.ranges) } + parts
    path = parts.count == 1 ? parts[0] : .intersection(parts)
  }

  // MARK: Combining

  /// The access of the negated condition. It is known only if the path is exact.
  private var complement: Access {
    guard isExact else { return .unknown }
    switch path {
    case .scan: return .always(false)
    case .union(let parts) where parts.isEmpty: return .always(true)
    case .index(let slot, let ranges): return Access(path: .index(slot: slot, ranges.complement), isExact: true)
    default: return .unknown
    }
  }

  private static func both(_ parts: [Access]) -> Access {
    let isExact = parts.allSatisfy(\.isExact)
    if parts.contains(where: { $0.path == .nothing }) { return .always(false) }
    var paths: [AccessPath] = []
    var known: Set<AccessPath> = []
    var ranges: [Int: [KeyRanges]] = [:]
    var words: [Int: [WordRange]] = [:]
    for part in parts where part.path != .scan {
      let flat = if case .intersection(let inner) = part.path { inner } else { [part.path] }
      for path in flat {
        if case .index(let slot, let more) = path {
          ranges[slot, default: []].append(more)
        } else if case .search(let slot, let more) = path {
          // Ranges of words are collected and not intersected. No row is in two of them, but an object may have a row
          // in each.
          words[slot, default: []] += more
        } else if known.insert(path).inserted {
          paths.append(path)
        }
      }
    }
    // Sorted slots, so that the choice does not depend on the order of a dictionary.
    let indexes = ranges.sorted { $0.key < $1.key }
    let searches = words.sorted { $0.key < $1.key }
    paths =
      indexes.map { .index(slot: $0.key, .intersection($0.value)) }
      + searches.map { .search(slot: $0.key, WordRange.needed($0.value)) } + paths
    if paths.contains(where: \.isEmptyRange) { return .always(false) }
    return switch paths.count {
    case 0: Access(path: .scan, isExact: isExact)
    case 1: Access(path: paths[0], isExact: isExact)
    default: Access(path: .intersection(paths), isExact: isExact)
    }
  }

  static func either(_ parts: [Access]) -> Access {
    let isExact = parts.allSatisfy(\.isExact)
    if parts.contains(where: { $0.path == .scan }) {
      return Access(path: .scan, isExact: parts.contains { $0.path == .scan && $0.isExact })
    }
    var paths: [AccessPath] = []
    var known: Set<AccessPath> = []
    var ranges: [Int: [KeyRange]] = [:]
    var targets: [Int: Set<AnyObjectID>] = [:]
    var objects: Set<UniqueID>?
    for part in parts {
      let flat = if case .union(let inner) = part.path { inner } else { [part.path] }
      for path in flat {
        switch path {
        case .index(let slot, let more): ranges[slot, default: []] += more.ranges
        case .objects(let more): objects = (objects ?? []).union(more)
        case .inverse(let slot, let more): targets[slot, default: []].formUnion(more)
        default: if known.insert(path).inserted { paths.append(path) }
        }
      }
    }
    if let objects { paths.append(.objects(objects.sorted())) }
    paths += ranges.sorted { $0.key < $1.key }.map { .index(slot: $0.key, KeyRanges($0.value)) }
    paths += targets.sorted { $0.key < $1.key }.map { .inverse(slot: $0.key, targets: $0.value.sorted()) }
    return Access(path: paths.count == 1 ? paths[0] : .union(paths), isExact: isExact)
  }
}

extension AccessPath {
  fileprivate var isEmptyRange: Bool {
    switch self {
    case .index(_, let ranges): ranges.ranges.isEmpty
    case .inverse(_, let targets): targets.isEmpty
    case .objects(let uuids): uuids.isEmpty
    default: false
    }
  }
}
