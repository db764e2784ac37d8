import RepriseObjectModel

/// A named function of your own that makes sections for a list: `$0.year.section(by: .decade)`.
///
/// ```swift
/// extension SectionRule where Value == Int {
///   static var decade: SectionRule { SectionRule("decade") { year in year.map { "\($0 / 10)0s" } ?? "undated" } }
/// }
/// ```
///
/// A rule also makes groups for a ``GroupedFetch``: `grouped { $0.year.section(by: .decade) }`.
///
/// The function must always return the same section for the same value. Two rules with the same name are equal. An
/// archived fetch contains only the name of the rule. Before you run a decoded fetch, call `sectioned(_:)` again.
public struct SectionRule<Value: AttributeValue>: Sendable {
  /// The name of the rule in archives.
  public let name: String
  let section: @Sendable (Value?) -> String

  /// Makes a rule with this name.
  ///
  /// - Parameters:
  ///   - name: The name of the rule, also in archives.
  ///   - section: Returns the section of a value, or of `nil` for an object without a value.
  public init(_ name: String, _ section: @escaping @Sendable (Value?) -> String) {
    self.name = name
    self.section = section
  }
}

extension Field {
  /// Makes a section for each result of a function of your own.
  public func section(by rule: SectionRule<Value>) -> SectionKey<Model> {
    let body: @Sendable (PropertyValue) -> String = { rule.section(Value.from($0)) }
    return SectionKey(term: term, function: .value, rule: StoredSectionRule(name: rule.name, section: body))
  }
}

/// A rule for stored values. Its name identifies it.
package struct StoredSectionRule: Hashable, Sendable {
  package let name: String
  /// Names the section of a value. `nil` if the rule came from an archive.
  package let section: (@Sendable (PropertyValue) -> String)?

  package init(name: String, section: (@Sendable (PropertyValue) -> String)?) {
    (self.name, self.section) = (name, section)
  }

  package static func == (left: StoredSectionRule, right: StoredSectionRule) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
