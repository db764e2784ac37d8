import RepriseLMDB
import RepriseObjectModel

/// Reads transactions as values, all in one read transaction of the store.
package final class TransactionReader {
  private let logID: UniqueID
  private let log: LogTable
  private let meta: MetaTable
  private let map: SchemaMap
  private let filter: TransactionFilter
  /// Whether transactions without a selected change are returned.
  private let keepsEmpty: Bool
  /// Whether a transaction is read only up to its first selected change.
  package var firstChangeOnly = false
  /// The UUID of the selected object, if there is only one. A transaction may have changed 10,000 objects.
  private let wanted: UniqueID?
  // No other code runs while one of these two is accessed, which happens for each transaction.
  /// The names by number; nil for a name that was erased.
  @exclusivity(unchecked) private var names: [UInt32: String?] = [:]
  /// The properties by number, made when first needed.
  @exclusivity(unchecked) private var properties: [UInt32: ToldProperty] = [:]
  /// By the number of the links' entity.
  private lazy var links = map.stored.links

  package init(
    _ logID: UniqueID, _ log: LogTable, _ meta: MetaTable, _ map: SchemaMap, _ filter: TransactionFilter,
    keepsEmpty: Bool = false
  ) {
    self.logID = logID
    self.log = log
    self.meta = meta
    self.map = map
    self.filter = filter
    self.keepsEmpty = keepsEmpty || !filter.isOfChanges
    wanted = filter.objects?.count == 1 ? filter.objects?.first?.uuid : nil
  }

  /// A reader of the log.
  @_lifetime(copy view)
  package func frames(_ view: View) -> TableReader { log.reader(view) }

  /// The transaction at a position. `nil` if the filter does not select it.
  ///
  /// - Parameters:
  ///   - frames: A reader of the log.
  ///   - body: Gets the events of the selected objects.
  package func transaction(
    at position: Position, _ frames: TableReader, _ body: (LogEvent) -> Void = { _ in }
  ) throws(StorageError) -> LoggedTransaction? {
    // A captured variable instead of a result. The history of an object calls this for each version, and each closure
    // that lends a frame would move a result.
    var found: LoggedTransaction?
    var failure: StorageError?
    let view = frames.view
    try log.withFrame(position, frames) { (frame) throws(MalformedBytes) in
      do throws(StorageError) { found = try transaction(frame, view, body) } catch { failure = error }
    }
    if let failure { throw failure }
    return found
  }

  private func transaction(
    _ frame: LogFrame, _ view: View, _ body: (LogEvent) -> Void
  ) throws(StorageError) -> LoggedTransaction? {
    let author = try name(frame.envelope.author, view)
    guard filter.passes(author: author), filter.passes(metadata: frame.envelope.metadata) else { return nil }
    let contextName = try name(frame.envelope.contextName, view)
    let ownName = try name(frame.envelope.name, view)
    guard filter.passes(name: ownName, contextName: contextName) else { return nil }
    let changes = try log.applying(frame.position) { () throws(ReplayError) in try self.changes(frame, body) }
    if changes.isEmpty, !keepsEmpty { return nil }
    return LoggedTransaction(
      id: frame.envelope.transactionID,
      token: LogToken(log: logID, position: frame.position, hash: frame.hash), base: frame.envelope.base,
      microseconds: frame.envelope.wallTime, author: author, contextName: contextName, name: ownName,
      metadata: frame.envelope.metadata, undoes: frame.envelope.undoes, supersedes: frame.envelope.supersedes,
      changes: changes)
  }

  /// The changes of the selected objects.
  private func changes(
    _ frame: LogFrame, _ body: (LogEvent) -> Void
  ) throws(ReplayError) -> [LoggedTransaction.Change] {
    var changes: [LoggedTransaction.Change] = []
    var pairs: [LoggedTransaction.Change] = []
    let links = self.links
    var events = frame.events
    while let event = try ReplayError.wrapping({ () throws(MalformedBytes) in try events.next() }) {
      if firstChangeOnly, !changes.isEmpty || !pairs.isEmpty { break }
      guard let logged = event.change else { continue }
      let relationship = links.isEmpty ? nil : links[logged.object.entity]
      if let wanted, relationship == nil, logged.object.uuid != wanted { continue }
      guard let object = event.object(map) else { continue }
      if let relationship {
        pairs += try memberChanges(logged, relationship)
        continue
      }
      guard filter.passes(object) else { continue }
      body(event)
      guard let change = try change(event, logged, object) else { continue }
      if let last = changes.last, last.object == object {
        changes[changes.count - 1] = last.joined(with: change)
      } else {
        changes.append(change)
      }
    }
    changes.join(pairs)
    return changes
  }

  package func name(_ reference: NameReference, _ view: View) throws(StorageError) -> String? {
    switch reference {
    case .none, .redacted: return nil
    case .inline(let text): return text
    case .interned(let number):
      if let known = names[number] { return known }
      let text = try meta.get(MetaKey.name(number), view).map { String(decoding: $0, as: UTF8.self) }
      names[number] = .some(text)
      return text
    }
  }

  // MARK: Events

  private func change(
    _ event: LogEvent, _ change: Change, _ object: AnyObjectID
  ) throws(ReplayError) -> LoggedTransaction.Change? {
    if let edge = try ReplayError.wrapping({ () throws(MalformedBytes) in try event.edge() }) {
      guard let difference = difference(edge) else { return nil }
      return LoggedTransaction.Change(object: object, kind: .updated, properties: [difference])
    }
    let kind: LoggedTransaction.Change.Kind =
      switch change.kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
    return LoggedTransaction.Change(object: object, kind: kind, properties: try differences(change))
  }

  private func differences(_ change: Change) throws(ReplayError) -> [PropertyDifference] {
    var found: [PropertyDifference] = []
    var fields = change.fields
    while let (number, field) = try ReplayError.wrapping({ () throws(MalformedBytes) in try fields.next() }) {
      guard let property = property(number) else { continue }
      var form: PropertyDifference.Form
      switch field {
      case .redacted: form = .erased
      case .set(let old, let new) where old.isErased || new.isErased: form = .erased
      case .set(let old, let new):
        // Before an insertion and after a deletion there is nothing.
        let absent = change.kind == .updated ? property.defaultValue : .null
        let (from, to) = (try value(old, orElse: absent), try value(new, orElse: absent))
        if change.kind != .updated, from.isNull, to.isNull { continue }
        form = .value(from: from, to: to)
      case .splice(let splice) where splice.isText:
        form = .text(
          offset: splice.offset, removed: String(decoding: splice.removed, as: UTF8.self),
          inserted: String(decoding: splice.inserted, as: UTF8.self))
      case .splice(let splice):
        form = .bytes(offset: splice.offset, removed: [UInt8](splice.removed), inserted: [UInt8](splice.inserted))
      }
      // A conversion empties one property and sets another of the same name.
      if case .value(_, let to) = form, let place = found.firstIndex(where: { $0.property == property.name }),
        case .value(let from, _) = found[place].form
      {
        form = .value(from: from, to: to)
        found.remove(at: place)
      }
      found.append(PropertyDifference(property: property.name, form: form))
    }
    return found
  }

  private func difference(_ edge: EdgeChange) -> PropertyDifference? {
    guard let property = property(edge.property), let target = property.target, let name = map.name(number: target)
    else { return nil }
    let member = AnyObjectID(name, edge.target)
    return PropertyDifference(
      property: property.name,
      form: .members(added: edge.isAdded ? [member] : [], removed: edge.isAdded ? [] : [member]))
  }

  // MARK: Pairs of many-to-manys

  /// An inserted or deleted link, as a change of the objects at both ends. Programs do not see links. A link that only
  /// changed its place does not change the members.
  private func memberChanges(
    _ change: Change, _ relationship: ManyToMany
  ) throws(ReplayError) -> [LoggedTransaction.Change] {
    if change.kind == .updated { return [] }
    var ends: [String: AnyObjectID] = [:]
    for difference in try differences(change) {
      if case .value(let from, let to) = difference.form { ends[difference.property] = from.reference ?? to.reference }
    }
    guard let owner = ends["owner"], let member = ends["member"] else { return [] }
    return relationship.changes(isAdded: change.kind == .inserted, owner: owner, member: member)
      .filter { filter.passes($0.object) }
  }

  private func value(
    _ raw: UnsafeRawBufferPointer, orElse absent: PropertyValue
  ) throws(ReplayError) -> PropertyValue {
    if raw.isEmpty { return absent }
    return try ReplayError.wrapping { () throws(MalformedBytes) in
      var reader = ByteReader(raw)
      return try reader.value(map)
    }
  }

  /// A property as transactions describe it.
  private struct ToldProperty {
    let name: String
    let defaultValue: PropertyValue
    /// The entity of a to-many's members.
    let target: UInt32?
  }

  private func property(_ number: UInt32) -> ToldProperty? {
    if properties.isEmpty {
      for entity in map.stored.entities {
        for property in entity.properties {
          let target: UInt32? = if case .toMany(let target, _, _) = property.role { target } else { nil }
          properties[property.number] = ToldProperty(
            name: entity.lastName(of: property), defaultValue: property.defaultValue, target: target)
        }
      }
    }
    return properties[number]
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the value was erased.
  fileprivate var isErased: Bool { first == ValueTag.redacted.rawValue }
}

extension [LoggedTransaction.Change] {
  /// Adds changes of members to the changes of the same objects.
  package mutating func join(_ pairs: [LoggedTransaction.Change]) {
    if pairs.isEmpty { return }
    var places: [AnyObjectID: Int] = [:]
    for (place, change) in enumerated() { places[change.object] = place }
    for pair in pairs {
      if let place = places[pair.object] {
        self[place] = self[place].joined(with: pair)
      } else {
        places[pair.object] = count
        append(pair)
      }
    }
  }
}

extension LoggedTransaction.Change {
  /// This change together with a later one of the same object in the same transaction.
  fileprivate func joined(with later: Self) -> Self {
    var properties = properties
    for difference in later.properties {
      if let place = properties.firstIndex(where: { $0.property == difference.property }),
        case .members(let added, let removed) = properties[place].form,
        case .members(let moreAdded, let moreRemoved) = difference.form
      {
        properties[place] = PropertyDifference(
          property: difference.property, form: .members(added: added + moreAdded, removed: removed + moreRemoved))
      } else {
        properties.append(difference)
      }
    }
    return Self(object: object, kind: kind == .updated ? later.kind : kind, properties: properties)
  }
}
