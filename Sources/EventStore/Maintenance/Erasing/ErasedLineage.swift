import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects that an erasure reaches: the objects that it names, their former selves before migrations moved them,
/// and the objects that their values came from or went to.
///
/// An object that moved keeps its UUID, and the UUID of an extracted part follows from the UUID of its whole. So these
/// objects are found without reading. Only the log says which object was inlined into which, and which whole a part
/// belongs to.
struct ErasedLineage {
  typealias Address = ObjectAddress

  private let schema: StoredSchema
  /// The attributes that are or were derived, by entity. Their past values may have been computed from erased values.
  private let derived: [UInt32: Set<UInt32>]
  /// The number of migrations' descents that began before the log begins.
  private let begun: Int
  /// The numbers of the properties by object. `nil` for all properties.
  private(set) var reached: [Address: Set<UInt32>?] = [:]
  private var pending: [Address] = []

  /// - Parameters:
  ///   - derived: The attributes that are or were derived.
  ///   - floor: The beginning of the log. `nil` if the log is whole.
  init(_ schema: StoredSchema, derived: Set<UInt32>, from floor: LogFloor?) {
    self.schema = schema
    self.derived = Dictionary(
      uniqueKeysWithValues: schema.entities.map { entity in
        (entity.number, derived.intersection(entity.properties.map(\.number)))
      })
    begun = floor?.schema.descents.count ?? 0
  }

  /// Adds properties of an object, and its former and later selves in migrations that moved it.
  ///
  /// - Parameter properties: The numbers of the properties. `nil` for all.
  mutating func add(_ address: Address, _ properties: Set<UInt32>?) {
    let properties = properties.map { $0.union(derived[address.entity] ?? []) }
    var all = properties
    if let known = reached[address] {
      guard let old = known else { return }
      if let properties {
        if properties.isSubset(of: old) { return }
        all = properties.union(old)
      }
    }
    reached.updateValue(all, forKey: address)
    pending.append(address)
  }

  /// Adds the objects related to the added ones. Reads the log once for each step of the search, if migrations have
  /// extracted or inlined values of these objects.
  mutating func follow(
    _ log: LogTable, _ positions: ClosedRange<Position>, _ view: borrowing View
  ) throws(StorageError) {
    while !pending.isEmpty {
      var isReadingNeeded = false
      while let address = pending.popLast() {
        if addNeighbours(of: address) { isReadingNeeded = true }
      }
      if isReadingNeeded { try addFound(log, positions, view) }
    }
  }

  /// Adds the objects that can be found without the log. Returns whether the log may have more.
  private mutating func addNeighbours(of address: Address) -> Bool {
    guard let properties = reached[address] else { return false }
    var isReadingNeeded = false
    for descent in schema.descents {
      if descent.source == address.entity {
        switch descent.kind {
        case .moved: add(address.uuid, descent.target, properties == nil ? .all : descent.taking(properties))
        case .extracted: add(descent.part(of: address.uuid), descent.target, descent.taking(properties))
        case .inlined: isReadingNeeded = true
        }
      }
      if descent.target == address.entity {
        switch descent.kind {
        case .moved: add(address.uuid, descent.source, properties == nil ? .all : descent.giving(properties))
        case .extracted, .inlined: isReadingNeeded = true
        }
      }
    }
    return isReadingNeeded
  }

  private mutating func add(_ uuid: UniqueID, _ entity: UInt32, _ extent: Extent) {
    let address = Address(entity: entity, uuid: uuid)
    switch extent {
    case .all: add(address, nil)
    case .some(let numbers):
      if !numbers.isEmpty { add(address, schema.forms(of: numbers, in: entity)) }
    }
  }

  enum Extent {
    case all
    case some(Set<UInt32>)
  }

  // MARK: The log

  /// Adds the wholes of extracted parts, and the objects that were inlined.
  private mutating func addFound(
    _ log: LogTable, _ positions: ClosedRange<Position>, _ view: borrowing View
  ) throws(StorageError) {
    let wanted = Set(reached.keys)
    var searches = schema.descents.enumerated().map { place, descent in
      descent.kind == .moved ? nil : PartSearch(descent, schema, wanted, hasBegun: place < begun)
    }
    var count = begun
    for position in stride(from: positions.lowerBound, through: positions.upperBound, by: 1) {
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        var events = frame.events
        while let event = try events.next() {
          if case .descent? = try event.schemaChange() {
            if searches.indices.contains(count) { searches[count]?.begin() }
            count += 1
          }
          guard let change = event.change else { continue }
          for place in searches.indices { try searches[place]?.look(at: change) }
        }
      }
    }
    for (descent, search) in zip(schema.descents, searches) {
      for pair in search?.found ?? [] {
        let isExtracted = descent.kind == .extracted
        let source = Address(entity: descent.source, uuid: isExtracted ? pair.whole : pair.part)
        let target = Address(entity: descent.target, uuid: isExtracted ? pair.part : pair.whole)
        if let properties = reached[source] { add(target.uuid, target.entity, descent.taking(properties)) }
        if let properties = reached[target] {
          // A part that no longer exists as an object has nothing but inlined values.
          let isGone = !isExtracted && schema.entity(number: source.entity)?.name.isEmpty == true
          add(source.uuid, source.entity, properties == nil && isGone ? .all : descent.giving(properties))
        }
      }
    }
  }
}

extension Descent {
  /// The properties of the target that have values of these properties of the source. `nil` means all.
  fileprivate func taking(_ properties: Set<UInt32>?) -> ErasedLineage.Extent {
    let taken = pairs.filter { $0.old != 0 && properties?.contains($0.old) ?? true }.map(\.new)
    // A computed value may be computed from any of them.
    let computed = taken.isEmpty && properties != nil ? [] : pairs.filter { $0.old == 0 }.map(\.new)
    return .some(Set(taken + computed))
  }

  /// The properties of the source that gave values to these properties of the target. `nil` means all.
  fileprivate func giving(_ properties: Set<UInt32>?) -> ErasedLineage.Extent {
    .some(Set(pairs.filter { $0.old != 0 && properties?.contains($0.new) ?? true }.map(\.old)))
  }
}

extension StoredSchema {
  /// These properties of an entity, with the properties that they were converted from and to. All of them share a name.
  fileprivate func forms(of numbers: Set<UInt32>, in entity: UInt32) -> Set<UInt32> {
    guard let entity = self.entity(number: entity) else { return numbers }
    let names = Set(entity.properties.filter { numbers.contains($0.number) }.flatMap(\.allNames))
    return numbers.union(entity.properties.filter { !names.isDisjoint(with: $0.allNames) }.map(\.number))
  }
}

extension StoredSchema {
  /// Entities, with the entities that their objects came from or went to.
  func moved(_ entities: [UInt32]) -> [UInt32] {
    var all = entities
    var place = 0
    while place < all.count {
      for descent in descents where descent.kind == .moved {
        for (from, to) in [(descent.source, descent.target), (descent.target, descent.source)]
        where from == all[place] && !all.contains(to) {
          all.append(to)
        }
      }
      place += 1
    }
    return all
  }
}
