import RepriseObjectModel

/// A key to group objects by: an attribute, a to-one relationship, or a function such as `$0.name.firstCharacter()`.
///
/// The property may be behind to-one relationships. Only the library implements this protocol.
public protocol GroupKey: Sendable {
  /// The type of the key in a ``Group``.
  associatedtype Key: Sendable
  /// The property, and the function applied to it.
  var _groupTerm: GroupTerm { get }
  /// Converts a stored value to a key; `nil` if the value is not valid for the type.
  static func _key(_ stored: PropertyValue) -> Key?
}

/// A property, and the function that makes a group key from it.
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
  /// The beginning of the day, in seconds since 2001, on a clock that is `offset` seconds ahead of UTC. For a date
  /// without a ``CalendarDay``, the date.
  case day(offset: Int)
  /// The beginning of the day of a date, by a calendar.
  case calendarDay(StoredKeyRule)

  /// - Parameter collation: The collation of the property.
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
  /// The value of a group, or `nil` for the group of objects without a value.
  ///
  /// Under a collation, values that compare equal share a group, whose key is the oldest object's value.
  public typealias Key = Value?
  /// Implements ``GroupKey``.
  public var _groupTerm: GroupTerm { GroupTerm(term, .value) }
  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> Value?? { Value?.from(stored) }
}

extension ToOneField: GroupKey {
  /// The ID of the object at the other end, or `nil` for the group of objects whose relationship is empty.
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
  /// The name of the section, as a list would show it. `nil` and the empty text share one group.
  public typealias Key = String
  /// Implements ``GroupKey``.
  public var _groupTerm: GroupTerm { GroupTerm(term, rule.map { .rule($0) } ?? .section(function)) }
  /// Implements ``GroupKey``.
  public static func _key(_ stored: PropertyValue) -> String? { String.from(stored) }

  /// Sorts groups by section name.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: true) }

  /// Sorts groups by section name, in reverse.
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

/// The day of a date, as in `$0.date.day()`, for groups and sections.
public struct DayKey<Model: PersistentModel, Value: AttributeValue>: GroupKey {
  /// The beginning of the day; `nil` for objects without a value.
  public typealias Key = Value?
  /// Implements ``GroupKey``.
  public let _groupTerm: GroupTerm

  /// A section for each day, named in ISO 8601, such as "2026-11-23".
  ///
  /// The section of `nil` is named "". If the list is sorted by the date first, an index on the date can find its
  /// sections. Days in a time zone with summer time are computed for each row instead, as by a ``SectionRule``.
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

  /// Sorts groups by day, the earliest first. The group of `nil` comes first.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: true) }

  /// Sorts groups by day, the latest first. The group of `nil` comes last.
  public var descending: AggregateOrder<Model> { AggregateOrder(term: .key(_groupTerm), isAscending: false) }
}

extension Fetch {
  /// Divides the results into a section for each day, as in `sectioned { $0.due.day() }`; see ``DayKey/section``.
  public func sectioned<Value>(_ key: (Model.Fields) -> DayKey<Model, Value>) -> Fetch {
    sectioned { key($0).section }
  }
}
