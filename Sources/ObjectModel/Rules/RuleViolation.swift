/// A rule that an object breaks. A save with a violation fails as a whole.
public struct RuleViolation: Hashable, Sendable {
  /// A rule that objects must keep.
  @nonexhaustive
  public enum Rule: Hashable, Sendable {
    /// No two objects have the same values, and the object `heldBy` already has them.
    case unique(heldBy: AnyObjectID)
    /// A to-one relationship must refer to an object, or an attribute must not be `nil` or an empty text.
    case required
    /// A to-many relationship must have at least this many members. The violation's value is the actual number.
    case minimum(Int)
    /// A to-many relationship must have at most this many members. The violation's value is the actual number.
    case maximum(Int)
    /// A deleted object is still related to another one, and the delete rule `deny` forbids this.
    ///
    /// The value is the other object.
    case deny
    /// An object refers to a deleted object, and the delete rule `noAction` requires the program to prevent this.
    ///
    /// The value is the deleted object.
    case noAction
    /// The value of an attribute must be in a range, as in "0...120".
    case range(String)
    /// The length of an attribute must be in a range, as in "1...80".
    ///
    /// The length counts characters of a text, bytes, elements of a set, or bytes of a blob.
    case length(String)
    /// A regular expression must match the whole text.
    case pattern(String)
    /// The value of an attribute must be one of these.
    case allowedValues([PropertyValue])
    /// A closure must accept the value of an attribute. The text describes the rule.
    case valid(String)
    /// The object's `validate` method reported this text.
    case object(String)
    /// A stored derived attribute differs from its computed value, given here.
    ///
    /// No save fails because of it. The violation's value is the stored one. A program without the attribute may have
    /// changed other attributes, or another version may have computed it differently.
    case derived(PropertyValue)
  }

  /// The object that breaks the rule.
  public let object: AnyObjectID
  /// The names of the properties concerned: one, or the columns of a unique index.
  ///
  /// For a rule of the object, they are the properties named by `validate`, or none.
  public let properties: [String]
  /// The object's values of these properties, in the same order.
  public let values: [PropertyValue]
  /// The rule.
  public let rule: Rule
  /// The types of the properties, in the same order.
  package var types: ValueTypes

  package init(
    object: AnyObjectID, properties: [String], values: [PropertyValue], rule: Rule, types: ValueTypes = ValueTypes()
  ) {
    self.object = object
    self.properties = properties
    self.values = values
    self.rule = rule
    self.types = types
  }
}

extension RuleViolation: CustomStringConvertible {
  /// The object, the properties, the values and the rule, as text for people.
  public var description: String {
    switch rule {
    case .object: "\(object): \(message)"
    default: "\(object) \(message)"
    }
  }

  /// The violation without the object's name, for a form: "has age 130, which is not in 0...120".
  ///
  /// For a rule of the object, it is the text of its `validate`.
  public var message: String {
    let values = zip(properties, values).enumerated()
      .map { place, named in "\(named.0) \(types.text(named.1, at: place))" }.joined(separator: " and ")
    switch rule {
    case .unique(let other): return "has \(values), and so has \(other)"
    case .required: return "has no \(properties.joined()), which is required"
    case .minimum(let limit): return "has \(members), and needs at least \(limit)"
    case .maximum(let limit): return "has \(members), and may have at most \(limit)"
    case .deny: return "is deleted, but still has \(values), and the delete rule is `deny`"
    case .noAction: return "has \(values), which is deleted"
    case .range(let range): return "has \(values), which is not in \(range)"
    case .length(let range): return "has \(values), whose length is not in \(range)"
    case .pattern(let pattern): return "has \(values), which does not match \(pattern)"
    case .allowedValues(let allowed):
      return "has \(values), which is none of \(allowed.map { types.text($0) }.joined(separator: ", "))"
    case .valid(let text): return "has \(values): \(text)"
    case .object(let text): return text
    case .derived(let computed):
      return "has \(values), but the value computed from its other properties is \(types.text(computed))"
    }
  }

  /// The first few violations, as part of a sentence.
  package static func list(_ violations: [RuleViolation]) -> String {
    violations.prefix(3).map(\.description).joined(separator: "; ") + (violations.count > 3 ? "; …" : "")
  }

  /// The number of members, as in "1 in notes".
  private var members: String {
    zip(properties, values).enumerated().map { place, named in "\(types.text(named.1, at: place)) in \(named.0)" }
      .joined(separator: " and ")
  }
}
