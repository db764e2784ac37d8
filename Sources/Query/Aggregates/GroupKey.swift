import RepriseObjectModel

/// What objects are grouped by: an attribute, a to-one relationship, or a function of an attribute, as in
/// `$0.name.firstCharacter()`. Any of them may lie behind to-one relationships.
///
/// Implemented by the library only.
public protocol GroupKey: Sendable {
  /// The type of the key in a ``Group``.
  associatedtype Key: Sendable
  /// The property, and the function of it.
  var _groupTerm: GroupTerm { get }
  /// The key, from its stored form; `nil` if that is not valid for the type.
  static func _key(_ stored: PropertyValue) -> Key?
}

/// A property, and the function of it that objects are grouped by.
public struct GroupTerm: Hashable, Sendable, CustomStringConvertible {
  package let term: Term
  package let function: GroupFunction

  package init(_ term: Term, _ function: GroupFunction) {
    self.term = term
    self.function = function
  }

  /// The path of the property.
  public var description: String { term.description }
}

package enum GroupFunction: Hashable, Sendable {
  case value
  case section(SectionFunction)
  case rule(StoredSectionRule)
  /// The beginning of the day, in seconds since 2001, where the clock is so many seconds ahead of UTC; of a date that
  /// no day can be told of, the date.
  case day(offset: Int)
  /// The beginning of the day by a calendar, which tells it of a date.
  case calendarDay(StoredKeyRule)

  /// - Parameter collation: That of the property.
  package func callAsFunction(_ value: PropertyValue, _ collation: Collation = .binary) -> PropertyValue {
    switch (self, value) {
    case (.section(let function), _): .string(function.name(of: value, collation))
    case (.rule(let rule), _): .string(rule.section?(value) ?? "")
    case (.day(let offset), .date(let seconds)):
      .date(CalendarDay(of: seconds, offset: offset)?.start ?? seconds)
    case (.calendarDay(let rule), .date): rule.key(value)
    default: value
    }
  }
}

extension Field: GroupKey {
  /// A group for each value, and one for nil. Under a collation, values that count as the same share a group, whose key
  /// is that of the oldest object.
  public typealias Key = Value?
  /// Implements ``GroupKey``.
  public var _groupTerm: GroupTerm { GroupTerm(term, .value) }
  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> Value?? { Value?.from(stored) }
}

extension ToOneField: GroupKey {
  /// A group for each object at the other end, and one for nil.
  public typealias Key = Target.ID?
  /// Implements ``GroupKey``.
  public var _groupTerm: GroupTerm { GroupTerm(Term(path), .value) }
  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> Target.ID?? {
    switch stored {
    case .null: .some(nil)
    case .reference(let id): Target.ID(id).map { .some($0) }
    default: nil
    }
  }
}

extension SectionKey: GroupKey {
  /// A group for each section that a list would have; nil and the empty text share one.
  public typealias Key = String
  /// Implements ``GroupKey``.
  public var _groupTerm: GroupTerm { GroupTerm(term, rule.map { .rule($0) } ?? .section(function)) }
  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> String? { String.from(stored) }

  /// Groups by their section, in the order of the names.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: true) }

  /// The reverse of ``ascending``.
  public var descending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: false) }
}

/// A key of groups by stored values. Its name identifies it.
package struct StoredKeyRule: Hashable, Sendable {
  package let name: String
  package let key: @Sendable (PropertyValue) -> PropertyValue

  package init(name: String, key: @escaping @Sendable (PropertyValue) -> PropertyValue) {
    (self.name, self.key) = (name, key)
  }

  package static func == (left: StoredKeyRule, right: StoredKeyRule) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The day of a point in time, as in `$0.date.day()`: to group by, and to make sections by.
public struct DayKey<Model: PersistentModel, Value: AttributeValue>: GroupKey {
  /// The beginning of the day; `nil` for objects without a value.
  public typealias Key = Value?
  /// Implements ``GroupKey``.
  public let _groupTerm: GroupTerm

  /// A section for each day, named as ISO 8601 writes it: "2026-11-23"; the one of nil is named "". A list that is
  /// sorted by the date first has its sections by the index of the date, if there is one; days of a time zone that
  /// follows summer time are told of each row instead, as by a ``SectionRule``.
  public let section: SectionKey<Model>

  package init(_ field: Field<Model, Value>, offset: Int) {
    _groupTerm = GroupTerm(field.term, .day(offset: offset))
    section = SectionKey(term: field.term, function: .day(offset: offset))
  }

  /// Days of a calendar.
  ///
  /// - Parameters:
  ///   - start: The beginning of a date's day.
  ///   - day: Names the day of a date.
  package init(
    _ field: Field<Model, Value>, named name: String, start: @escaping @Sendable (PropertyValue) -> PropertyValue,
    day: @escaping @Sendable (PropertyValue) -> String
  ) {
    _groupTerm = GroupTerm(field.term, .calendarDay(StoredKeyRule(name: name, key: start)))
    section = SectionKey(
      term: field.term, function: .value, rule: StoredSectionRule(name: name) { $0.isNull ? "" : day($0) })
  }

  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> Value?? { Value?.from(stored) }

  /// Groups by their day, the earliest first, nil before all others.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: true) }

  /// The reverse of ``ascending``.
  public var descending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: false) }
}

extension Fetch {
  /// Divided into a section for each day: `sectioned { $0.due.day() }`, as ``DayKey/section`` makes them.
  public func sectioned<Value>(_ key: (Model.Fields) -> DayKey<Model, Value>) -> Fetch {
    sectioned { key($0).section }
  }
}
