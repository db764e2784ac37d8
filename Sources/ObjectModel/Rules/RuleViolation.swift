/// An object that breaks a rule of its model. A save with one is refused as a whole.
public struct RuleViolation: Hashable, Sendable {
  /// A rule that objects must keep.
  @nonexhaustive
  public enum Rule: Hashable, Sendable {
    /// No two objects have the same values, and this one has them already.
    case unique(heldBy: AnyObjectID)
    /// A to-one relationship that leads to no object, or an attribute that is nil or an empty text.
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
    /// The values of an attribute are in a range, as in "0...120".
    case range(String)
    /// The length of an attribute is in a range, as in "1...80": that of a text in characters, of bytes and of sets in
    /// elements, of a blob in bytes.
    case length(String)
    /// A text matches a regular expression as a whole.
    case pattern(String)
    /// An attribute has one of a few values.
    case choice([PropertyValue])
    /// A closure accepts the values of an attribute: what it asks for.
    case valid(String)
    /// What an object's `validate` found: its text.
    case object(String)
    /// A derived attribute is stored as it is computed from the others now: the value is the stored one. Other programs
    /// may have changed those without it, or it was computed in another way before. No save is refused for it.
    case derived(PropertyValue)
  }

  /// The object that breaks the rule.
  public let object: AnyObjectID
  /// The names of the properties that the rule is about: one, or the columns of a compound. Those of a rule of the
  /// object are what its `validate` names, and may be none.
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
    switch rule {
    case .object: "\(object): \(message)"
    default: "\(object) \(message)"
    }
  }

  /// What the object has and should not have, without its name: for the form in which it is edited, as in "has age 130,
  /// which is not in 0...120". Of a rule of the object, the text of its `validate`.
  public var message: String {
    let values = zip(properties, values).map { "\($0) \($1)" }.joined(separator: " and ")
    switch rule {
    case .unique(let other): return "has \(values), and so has \(other)"
    case .required: return "has no \(properties.joined()), which is required"
    case .minimum(let limit): return "has \(values), and needs \(limit) at least"
    case .maximum(let limit): return "has \(values), and may have \(limit) at most"
    case .deny: return "is deleted, and still has \(values)"
    case .noAction: return "has \(values), which is deleted"
    case .range(let range): return "has \(values), which is not in \(range)"
    case .length(let range): return "has \(values), of a length that is not in \(range)"
    case .pattern(let pattern): return "has \(values), which does not match \(pattern)"
    case .choice(let choices):
      return "has \(values), which is none of \(choices.map(\.description).joined(separator: ", "))"
    case .valid(let text): return "has \(values): \(text)"
    case .object(let text): return text
    case .derived(let computed): return "has \(values), which is \(computed) by its other properties"
    }
  }

  /// The first few, as part of a sentence.
  package static func list(_ violations: [RuleViolation]) -> String {
    violations.prefix(3).map(\.description).joined(separator: "; ") + (violations.count > 3 ? "; …" : "")
  }
}
