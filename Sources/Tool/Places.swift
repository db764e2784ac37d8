import Foundation
import RepriseCore

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
    for entity in store.entities {
      guard let id = AnyObjectID("\(entity.name)/\(uuid)") else { continue }
      if try context.find(id) != nil || !context.history(of: id, limit: 1).isEmpty { return id }
    }
    throw ToolError.noObject(text)
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
      guard number <= head.number else { throw ToolError.noPosition(text, head: head.number) }
      return Position(number)
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
    return try store.log.position(atMicroseconds: microseconds - 1) + 1
  }

  /// Microseconds since 1970. A date alone means its end or its beginning. A time in whole seconds means the end of its
  /// second, because times are shown so, unless it is the first one of a range.
  private static func microseconds(_ text: String, atEnd: Bool, isFirst: Bool = false) -> Int64? {
    let words = text.replacing("T", with: " ").split(separator: " ")
    let numbers = words.first?.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) } ?? []
    guard (1...2).contains(words.count), numbers.count == 3, let year = numbers[0], let month = numbers[1],
      let day = numbers[2], (1...9_999).contains(year)
    else { return nil }
    var parts = DateComponents(year: year, month: month, day: day)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard parts.isValidDate(in: calendar) else { return nil }
    guard words.count == 2 else {
      guard let date = calendar.date(from: parts) else { return nil }
      let start = Int64(date.timeIntervalSince1970) * 1_000_000
      return atEnd ? start + 86_400_000_000 - 1 : start
    }
    var time = words[1]
    if time.hasSuffix("Z") { time = time.dropLast() }
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(clock.count), let hour = Int(clock[0]), let minute = Int(clock[1]),
      (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    let second = clock.count == 3 ? Double(clock[2]) : 0
    guard let second, (0..<60).contains(second) else { return nil }
    (parts.hour, parts.minute) = (hour, minute)
    guard let date = calendar.date(from: parts) else { return nil }
    let isWhole = clock.count == 3 && !clock[2].contains(".") && !isFirst
    return Int64(date.timeIntervalSince1970) * 1_000_000 + Int64(second * 1_000_000) + (isWhole ? 999_999 : 0)
  }
}

extension ObjectContext {
  /// The object with an ID. `nil` if it does not exist here.
  func find(_ id: AnyObjectID) throws -> (any PersistentModel)? {
    do { return try object(id) } catch LookupError.notFound { return nil } catch LookupError.deleted { return nil }
  }
}
