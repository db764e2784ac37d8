/// Values by object ID: a dictionary that is cheap to create and to read (see ``HashIndex``).
@frozen @usableFromInline package struct ObjectMap<Value> {
  @usableFromInline var entries: [Entry] = []
  @usableFromInline var places = HashIndex()

  @frozen @usableFromInline struct Entry {
    @usableFromInline let id: AnyObjectID
    @usableFromInline var value: Value

    @inlinable init(_ id: AnyObjectID, _ value: Value) {
      self.id = id
      self.value = value
    }
  }

  @inlinable package init() {}

  @inlinable package var count: Int { entries.count }
  @inlinable package var isEmpty: Bool { entries.isEmpty }
  @inlinable package func contains(_ id: AnyObjectID) -> Bool { place(of: id) != nil }
  /// Whether the object has a value that `condition` holds for.
  @inlinable package func contains(_ id: AnyObjectID, where condition: (Value) -> Bool) -> Bool {
    guard let place = place(of: id) else { return false }
    return condition(entries[place].value)
  }

  @inlinable package var keys: some Sequence<AnyObjectID> { entries.lazy.map(\.id) }

  @inlinable package mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
    places.reserve(count)
  }

  @inlinable func place(of id: AnyObjectID) -> Int? {
    entries.isEmpty ? nil : places.place(id.uuid.spread) { entries[$0].id == id }
  }

  @usableFromInline package subscript(id: AnyObjectID) -> Value? {
    @inlinable get { place(of: id).map { entries[$0].value } }
    @inlinable set { update(id) { _ in newValue } }
  }

  /// Replaces the value of an object by the result of `body` for the present value. `nil` means that there is no value.
  @inlinable package mutating func update(_ id: AnyObjectID, _ body: (Value?) -> Value?) {
    if let place = place(of: id) {
      if let value = body(entries[place].value) {
        entries[place].value = value
      } else {
        remove(at: place)
      }
    } else if let value = body(nil) {
      places.insert(id.uuid.spread, entries.count)
      entries.append(Entry(id, value))
    }
  }

  @inlinable mutating func remove(at place: Int) {
    places.remove(entries[place].id.uuid.spread, place)
    let last = entries.removeLast()
    guard place < entries.count else { return }
    places.move(last.id.uuid.spread, from: entries.count, to: place)
    entries[place] = last
  }
}

extension ObjectMap: Sequence {
  @usableFromInline package typealias Element = (key: AnyObjectID, value: Value)

  /// In no particular order.
  @inlinable package func makeIterator() -> Iterator { Iterator(entries) }

  @inlinable package var underestimatedCount: Int { entries.count }

  @frozen @usableFromInline package struct Iterator: IteratorProtocol {
    @usableFromInline let entries: [Entry]
    @usableFromInline var index = 0

    @inlinable init(_ entries: [Entry]) { self.entries = entries }

    @inlinable package mutating func next() -> Element? {
      guard index < entries.count else { return nil }
      defer { index += 1 }
      return (entries[index].id, entries[index].value)
    }
  }
}

extension ObjectMap.Entry: Sendable where Value: Sendable {}
extension ObjectMap: Sendable where Value: Sendable {}

extension ObjectMap {
  /// Whether both are unchanged copies of one map. O(1).
  @inlinable func isSame(as other: ObjectMap) -> Bool {
    entries.withUnsafeBufferPointer { mine in
      other.entries.withUnsafeBufferPointer { $0.baseAddress == mine.baseAddress && $0.count == mine.count }
    }
  }
}

extension ObjectMap: Equatable where Value: Equatable {
  @inlinable package static func == (lhs: ObjectMap, rhs: ObjectMap) -> Bool {
    lhs.count == rhs.count && (lhs.isSame(as: rhs) || lhs.allSatisfy { rhs[$0.key] == $0.value })
  }
}

extension ObjectMap: ExpressibleByDictionaryLiteral {
  @inlinable package init(dictionaryLiteral elements: (AnyObjectID, Value)...) {
    for (id, value) in elements { self[id] = value }
  }
}
