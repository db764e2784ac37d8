import RepriseObjectModel

// The access paths of single comparisons.

extension Access {
  init(leaf condition: CompiledCondition, _ entity: Entity, _ schema: ResolvedSchema) {
    switch condition {
    case .compare(let term, let comparison, let value):
      self.init(term, entity, schema) { Operand(comparison, value, $0) }
    case .isIn(_, let values) where values.isEmpty: self = .always(false)
    case .isIn(let term, let values): self.init(term, entity, schema) { Operand(oneOf: values, $0) }
    case .text(let term, let pattern):
      self.init(term, entity, schema) { order in pattern.words.map { .words($0) } ?? Operand(pattern, order) }
    case .any(let members, let condition): self.init(members, condition, schema)
    default: self = .unknown
    }
  }

  private init(
    _ term: CompiledTerm, _ entity: Entity, _ schema: ResolvedSchema, _ operand: (IndexOrder) -> Operand?
  ) {
    self = .unknown
    // The entities along the term's path.
    var entities = [entity]
    for hop in term.hops {
      guard hop.stores, let end = schema.relationship(hop.slot, of: entities[entities.count - 1]) else { return }
      entities.append(end.target)
    }
    if case .attribute(let slot, _) = term.end {
      let owner = entities[entities.count - 1]
      let unready = schema.unreadyIndexes(of: owner)
      let rows = owner.index(over: slot, term.collation, besides: unready)
      let words = owner.searchIndex(over: slot).flatMap { unready.contains($0) ? nil : $0 }
      let exact = rows == nil && words == nil ? nil : operand(.ofTerm)
      if let words, case .words(let search)? = exact {
        self.init(search, slot: words)
      } else if let rows {
        self.init(rowsOf: rows, exact, isBehindLink: !term.hops.isEmpty)
      }
      for index in owner.indexes where path == .scan && index.columns == [slot] {
        guard !unready.contains(index.slot), let collation = index.collation(coarserThan: term.collation) else {
          continue
        }
        self.init(rowsOf: index.slot, operand(.coarser(collation)), isBehindLink: !term.hops.isEmpty)
      }
      if path == .scan { return }
    } else {
      switch (term.end, operand(.ofTerm)) {
      case (.id(let name), .objects(let targets)):
        self.init(path: .objects(targets.filter { $0.name == name }.map(\.uuid)), isExact: true)
      // Every object has an ID.
      case (.id, .keys(_, _, let holdsOfNil, _)) where term.hops.isEmpty: self = .always(!holdsOfNil)
      case (.toOne(let slot, true, _), .objects(let targets)):
        self.init(path: .inverse(slot: slot, targets: targets), isExact: true)
      default: return
      }
    }
    for (hop, target) in zip(term.hops, entities.dropFirst()).reversed() {
      path = .through(slot: hop.slot, target, path)
    }
  }

  /// The access of a search through the search index in a slot.
  private init(_ search: WordSearch, slot: Int) {
    let terms = search.terms.map { WordSearch.ranges(of: $0) }
    if search.isAny {
      self = .either(
        terms.map { Access(path: .search(slot: slot, WordRange.needed($0.ranges)), isExact: $0.isExact) })
    } else {
      let ranges = WordRange.needed(terms.flatMap(\.ranges))
      self.init(path: .search(slot: slot, ranges), isExact: terms.allSatisfy(\.isExact))
    }
  }

  private init(rowsOf slot: Int, _ operand: Operand?, isBehindLink: Bool) {
    self = .unknown
    // If a reference on the path is missing, the term is nil, although no row of the index is.
    guard case .keys(let ranges, let isExact, let holdsOfNil, _)? = operand, !isBehindLink || !holdsOfNil else {
      return
    }
    self.init(path: .index(slot: slot, ranges), isExact: isExact)
  }

  /// The access of a condition on any member: the objects that a matching member refers to.
  private init(_ members: CompiledMembers, _ condition: CompiledCondition, _ schema: ResolvedSchema) {
    self = .unknown
    guard members.hops.isEmpty else { return }
    let inner = Access(condition, members.target, schema)
    if inner.path == .scan { return }
    if let links = members.links {
      let path: AccessPath =
        if case .objects(let uuids) = inner.path {
          .inverse(slot: links.slot, targets: uuids.map { AnyObjectID(members.target.interned, $0) })
        } else {
          .through(slot: links.slot, members.target, inner.path)
        }
      self.init(path: .referred(by: links.entity, slot: members.inverseSlot, path), isExact: inner.isExact)
      return
    }
    self.init(path: .referred(by: members.target, slot: members.inverseSlot, inner.path), isExact: inner.isExact)
  }

  /// The values that a term is compared with, as rows of an index.
  fileprivate enum Operand {
    case keys(KeyRanges, isExact: Bool, holdsOfNil: Bool, points: [[UInt8]]? = nil)
    case objects([AnyObjectID])
    case words(WordSearch)

    init?(_ comparison: Comparison, _ value: PropertyValue, _ order: IndexOrder) {
      if case .reference(let target) = value {
        guard comparison == .equal else { return nil }
        self = .objects([target])
        return
      }
      // nil has the same key in all collations, so only other values are converted here.
      if case .coarser(let collation) = order, !value.isNull {
        guard comparison == .equal, let equal = keyRange(.equal, collation.key(of: value)) else { return nil }
        self = .keys(KeyRanges(equal), isExact: false, holdsOfNil: false)
        return
      }
      if comparison == .notEqual, !value.isNull {
        guard let equal = keyRange(.equal, value) else { return nil }
        self = .keys(KeyRanges(equal).complement, isExact: true, holdsOfNil: true)
        return
      }
      guard let range = keyRange(comparison, value) else { return nil }
      self = .keys(
        KeyRanges(range), isExact: true, holdsOfNil: value.isNull && comparison == .equal,
        points: comparison == .equal ? [range.lower] : nil)
    }

    init?(oneOf values: Set<PropertyValue>, _ order: IndexOrder) {
      let targets = values.compactMap(\.reference)
      if !targets.isEmpty {
        self = .objects(targets.sorted())
        return
      }
      let ranges = values.compactMap { keyRange(.equal, order.key(of: $0)) }
      self = .keys(KeyRanges(ranges), isExact: order == .ofTerm, holdsOfNil: false, points: ranges.map(\.lower))
    }

    init?(_ pattern: TextPattern, _ order: IndexOrder) {
      let prefix = pattern.prefix
      guard pattern.test == .hasPrefix || !prefix.isEmpty, order == .ofTerm else { return nil }
      let key = OrderKey.bytes(of: .string(String(decoding: prefix, as: UTF8.self)))
      let run = [UInt8](key.dropLast(2))
      let range = KeyRange(beginningWith: run)
      // Unicode never composes scalars of two characters. So a text that begins with these characters also begins with
      // their scalars.
      let isExact = pattern.test == .hasPrefix && !pattern.options.contains(.byCharacter)
      self = .keys(KeyRanges(range), isExact: isExact, holdsOfNil: false)
    }
  }
}

extension ColumnConstraints {
  /// The constraints of a single comparison of an attribute or to-one of the object itself.
  init(leaf condition: CompiledCondition) {
    self = .unknown
    let term: CompiledTerm
    let operand: Access.Operand?
    switch condition {
    case .compare(let it, let comparison, let value):
      term = it
      // `Operand` has no case for all references but one.
      if comparison == .notEqual, case .reference = value {
        let equal = ColumnConstraints(leaf: .compare(it, .equal, value))
        self = equal.complement
        return
      }
      operand = .init(comparison, value, .ofTerm)
    case .isIn(let it, let values): (term, operand) = (it, values.isEmpty ? nil : .init(oneOf: values, .ofTerm))
    case .text(let it, let pattern): (term, operand) = (it, .init(pattern, .ofTerm))
    default: return
    }
    guard let operand, let column = term.column else { return }
    switch operand {
    case .keys(let ranges, let isExact, _, let points):
      self.init(column, ranges, points: points, isExact: isExact)
    case .objects(let targets):
      let points = targets.map { OrderKey.bytes(of: .reference($0)) }
      let ranges = points.map { KeyRange(beginningWith: $0) }
      self.init(column, KeyRanges(ranges), points: points, isExact: true)
    // A row has the whole text, not its words.
    case .words: return
    }
  }
}

/// The relation between the order of an index and the order of a comparison.
private enum IndexOrder: Equatable {
  case ofTerm
  /// Texts that are equal for the term are also equal in the index, and some different texts are, too. The collation
  /// converts keys of the term into keys of the index.
  case coarser(Collation)

  func key(of value: PropertyValue) -> PropertyValue {
    switch self {
    case .ofTerm: value
    case .coarser(let collation): collation.key(of: value)
    }
  }
}

extension EntityIndex {
  /// The collation that makes keys of the index from keys of another collation. `nil` if there is none.
  fileprivate func collation(coarserThan other: Collation) -> Collation? {
    guard case .columns(let columns) = kind, let own = columns.first, own != other else { return nil }
    if other == .binary { return own }
    // A collation without a locale applies `natural` last, so it can be applied to the keys of the other collation.
    return own.locale == .none && own == other.union(.natural) ? .natural : nil
  }
}

/// The keys of the values that satisfy a comparison. `nil` if they are not a range.
private func keyRange(_ comparison: Comparison, _ value: PropertyValue) -> KeyRange? {
  let key = OrderKey.bytes(of: value)
  let behind = OrderKey.successor(of: key)
  // All values of this type. nil sorts before them.
  var all: KeyRange { KeyRange(lower: [key[0]], upper: [key[0] + 1]) }
  switch comparison {
  case .equal: return KeyRange(lower: key, upper: behind)
  case .notEqual: return value.isNull ? KeyRange(lower: behind ?? key, upper: nil) : nil
  // A comparison of order with nil never holds. The evaluation finds that out.
  case _ where value.isNull: return nil
  case .less: return KeyRange(lower: all.lower, upper: key)
  case .lessOrEqual: return KeyRange(lower: all.lower, upper: behind)
  case .greater: return KeyRange(lower: behind ?? key, upper: all.upper)
  case .greaterOrEqual: return KeyRange(lower: key, upper: all.upper)
  }
}
