import RepriseCore
import RepriseDynamic

/// A store as the words of a command name its parts.
package struct Places {
  package let store: Store

  package init(_ store: Store) { self.store = store }

  /// The entity with a name, which may be in other case.
  package func entity(_ name: String) throws -> Entity {
    let entities = store.entities
    if let entity = entities.first(where: { $0.name == name }) { return entity }
    let similar = entities.filter { $0.name.lowercased() == name.lowercased() }
    if similar.count == 1 { return similar[0] }
    throw ToolError.noEntity(name, known: entities.map(\.name).sorted())
  }

  /// The ID in `Entity/UUID`, a URI, or a UUID alone, whose entity is looked for.
  package func object(_ text: String, in context: ObjectContext) throws -> AnyObjectID {
    if text.hasPrefix("reprise://") { return try store.id(fromURI: text) }
    if let id = AnyObjectID(text) {
      return AnyObjectID("\(try entity(id.entity).name)/\(id.uuid)") ?? id
    }
    guard let uuid = UniqueID(text) else { throw ToolError.notAnObject(text) }
    let found = try store.entities.compactMap { AnyObjectID("\($0.name)/\(uuid)") }.filter {
      try context.find($0) != nil || !context.history(of: $0, limit: 1).isEmpty
    }
    if found.count > 1 { throw ToolError.ambiguousObject(text, found.map(\.description)) }
    guard let id = found.first else { throw ToolError.noObject(text) }
    return id
  }

  /// Like ``object(_:in:)``, for an object that exists or existed once.
  package func pastObject(_ text: String, in context: ObjectContext) throws -> AnyObjectID {
    let id = try object(text, in: context)
    if try context.find(id) == nil, try context.history(of: id, limit: 1).isEmpty { throw ToolError.noPastObject(text) }
    return id
  }

  /// Throws if the log does not reach a position yet.
  package func existing(_ position: Position) throws -> Position {
    let head = store.log.head
    if position > head { throw ToolError.noPosition("@\(position)", head: head.number) }
    return position
  }

  /// The state at the moment of a fetch's text, or at a position.
  package func context(at moment: FetchMoment?, or position: Position?) throws -> ObjectContext {
    switch moment {
    case .position(let position)?: return try store.context(at: existing(position))
    case let moment?: return try store.context(at: moment)
    case nil: return try position.map { try store.context(at: $0) } ?? RootContext(store)
    }
  }

  /// The position in `@1234`, `head`, `head~3`, a date, or a date with a time in UTC. A date means its beginning, as in
  /// the text of a fetch.
  package func position(_ text: String) throws -> Position { try position(text, atEnd: false) }

  /// Like ``position(_:)``, and a date means its end.
  package func lastPosition(_ text: String) throws -> Position { try position(text, atEnd: true) }

  private func position(_ text: String, atEnd: Bool) throws -> Position {
    let head = store.log.head
    if text.hasPrefix("@") {
      guard let number = UInt64(text.dropFirst()) else { throw ToolError.notAPosition(text) }
      return try existing(Position(number))
    }
    if text == "head" { return head }
    if text.hasPrefix("head~") {
      guard let count = UInt64(text.dropFirst(5)) else { throw ToolError.notAPosition(text) }
      guard count <= head.number else { throw ToolError.noPosition(text, head: head.number) }
      return Position(head.number - count)
    }
    guard let microseconds = Self.microseconds(text, atEnd: atEnd) else { throw ToolError.notAPosition(text) }
    return try store.log.position(atMicroseconds: microseconds)
  }

  /// Like ``position(_:)``, and a date or time means the first transaction after its beginning.
  package func firstPosition(_ text: String) throws -> Position {
    guard let microseconds = Self.microseconds(text, atEnd: false, isFirst: true) else { return try position(text) }
    do { return try store.log.position(atMicroseconds: microseconds - 1) + 1 } catch StoreError.truncated {
      return try store.log.firstPosition
    }
  }

  /// Microseconds since 1970. A date alone means its end or its beginning. A time in whole seconds means the end of its
  /// second, because times are shown so, unless it is the first one of a range.
  private static func microseconds(_ text: String, atEnd: Bool, isFirst: Bool = false) -> Int64? {
    let (day, time) = (text.prefix(10), text.dropFirst(11))
    let hasZone = time.contains { "Z+-".contains($0) }
    let isDay = text.count == 10
    guard isDay || " T".contains(text.dropFirst(10).prefix(1)),
      let start = DateText.microseconds(isDay ? text : "\(day)T\(time)\(hasZone ? "" : "Z")")
    else { return nil }
    if isDay { return atEnd ? start + 86_400_000_000 - 1 : start }
    let isWhole = time.prefix(8).count { $0 == ":" } == 2 && !time.contains(".") && !isFirst
    return isWhole ? start + 999_999 : start
  }
}

extension ObjectContext {
  /// The object with an ID. `nil` if it does not exist here.
  package func find(_ id: AnyObjectID) throws -> (any PersistentModel)? {
    do { return try object(id) } catch LookupError.notFound { return nil } catch LookupError.deleted { return nil }
  }
}
