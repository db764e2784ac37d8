import RepriseObjectModel

/// An object that breaks a rule of its model. A save with one is refused as a whole.
public struct RuleViolation: Hashable, Sendable {
  /// A rule that objects must keep.
  @nonexhaustive
  public enum Rule: Hashable, Sendable {
    /// No two objects have the same values, and this one has them already.
    case unique(heldBy: AnyObjectID)
    /// A to-one relationship that leads to no object.
    case required
    /// A to-many relationship has at least so many members, and this one fewer: the value is their number.
    case minimum(Int)
    /// A to-many relationship has at most so many members, and this one more: the value is their number.
    case maximum(Int)
    /// An object is deleted, and still related to another one, the value, which the delete rule
    /// `deny` forbids.
    case deny
    /// An object still refers to another one, the value, that is deleted, and whose delete rule
    /// `noAction` leaves it to the program to prevent that.
    case noAction
  }

  /// The object that breaks the rule.
  public let object: AnyObjectID
  /// The names of the properties that the rule is about: one, or the columns of a compound.
  public let properties: [String]
  /// The object's values of these properties, in their order.
  public let values: [PropertyValue]
  /// The rule.
  public let rule: Rule

  package init(object: AnyObjectID, properties: [String], values: [PropertyValue], rule: Rule) {
    self.object = object
    self.properties = properties
    self.values = values
    self.rule = rule
  }
}

extension RuleViolation: CustomStringConvertible {
  /// The object, the properties, the values and the rule.
  public var description: String {
    let values = zip(properties, values).map { "\($0) \($1)" }.joined(separator: " and ")
    switch rule {
    case .unique(let other): return "\(object) has \(values), and so has \(other)"
    case .required: return "\(object) has no \(properties.joined()), which is required"
    case .minimum(let limit): return "\(object) has \(values), and needs \(limit) at least"
    case .maximum(let limit): return "\(object) has \(values), and may have \(limit) at most"
    case .deny: return "\(object) is deleted, and still has \(values)"
    case .noAction: return "\(object) has \(values), which is deleted"
    }
  }

  /// The first few, as part of a sentence.
  package static func list(_ violations: [RuleViolation]) -> String {
    violations.prefix(3).map(\.description).joined(separator: "; ") + (violations.count > 3 ? "; …" : "")
  }
}
