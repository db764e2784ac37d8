import RepriseObjectModel

/// A function of your own that makes the sections of a list, with a name: `$0.year.section(by: .decade)`.
///
/// ```swift
/// extension SectionRule where Value == Int {
///   static var decade: SectionRule { SectionRule("decade") { year in year.map { "\($0 / 10)0s" } ?? "undated" } }
/// }
/// ```
///
/// It also makes the groups of a ``GroupedFetch``: `grouped { $0.year.section(by: .decade) }`.
///
/// It must give the same section for the same value, always. Two rules of one name count as equal. An archived fetch
/// has the name alone: give it its sections again with `sectioned(_:)` before it runs.
public struct SectionRule<Value: AttributeValue>: Sendable {
  /// What archives call it.
  public let name: String
  let section: @Sendable (Value?) -> String

  /// A rule of this name.
  ///
  /// - Parameter section: The section of a value; of nil for objects without one.
  public init(_ name: String, _ section: @escaping @Sendable (Value?) -> String) {
    self.name = name
    self.section = section
  }
}

extension Field {
  /// A section for each result of a function of your own.
  public func section(by rule: SectionRule<Value>) -> SectionKey<Model> {
    let body: @Sendable (PropertyValue) -> String = { rule.section(Value.from($0)) }
    return SectionKey(term: term, function: .value, rule: StoredSectionRule(name: rule.name, section: body))
  }
}

/// A rule for stored values. Its name identifies it.
package struct StoredSectionRule: Hashable, Sendable {
  package let name: String
  /// `nil` if it came from an archive.
  package let section: (@Sendable (PropertyValue) -> String)?

  package init(name: String, section: (@Sendable (PropertyValue) -> String)?) {
    (self.name, self.section) = (name, section)
  }

  package static func == (left: StoredSectionRule, right: StoredSectionRule) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
