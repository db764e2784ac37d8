import RepriseObjectModel

/// The reason why a fetch was refused.
@nonexhaustive
public enum FetchError: Error, Hashable, Sendable {
  /// The store was opened without this model.
  case unknownEntity(String)
  /// The model has no such property.
  case unknownProperty(term: String, entity: String, property: String)
  /// The path of `term` goes through a property that is not a to-one relationship.
  case notToOne(term: String, entity: String, property: String)
  /// The fetch compares, searches or sorts by `term`, which is a relationship and not an attribute.
  case notAnAttribute(term: String, entity: String, property: String)
  /// The fetch counts or tests members of `term`, which is not a to-many relationship.
  case notToMany(term: String, entity: String, property: String)
  /// The fetch compares a property with a value of another type.
  case wrongType(term: String, expected: String, found: String)
  /// The computation `term` combines values that it cannot: numbers of two types, a text, or an object.
  case notComputable(term: String, found: String)
  /// A pattern of `like` or `matches` is not valid at `offset`, which counts Unicode scalars.
  case invalidPattern(pattern: String, offset: Int, reason: String)
  /// A part of a `#Predicate` has no exact equivalent as a condition.
  case notTranslatable(part: String, reason: String)
  /// The limit is negative.
  case negativeLimit(Int)
  /// The number of objects to skip is negative.
  case negativeOffset(Int)
  /// A history was requested for a fetch with a limit or an offset.
  case limitedHistory
  /// The decoded fetch has sections by a rule, and an archive contains only the rule's name.
  case unknownSectionRule(String)
  /// The sections are whole texts in the order of a locale, for which section names are not defined.
  case unnamedSections(String)
  /// The fetch compares or sorts texts by a locale whose order the program does not have.
  ///
  /// Either the language is unknown, or the module `RepriseLocales` is not linked.
  case unknownLocale(term: String, locale: String)
  /// `&&` and `||` alternate, or `any` and `all` nest, more deeply than the limit.
  case tooDeep(limit: Int)
  /// The condition is malformed, because it was decoded from data that the library did not write.
  case malformedCondition
  /// An update assigns to a property that the fetched objects do not store themselves.
  ///
  /// Such a property is behind a to-one relationship, is a to-many relationship, or is a to-one relationship stored by
  /// its other end.
  case notAssignable(String)
  /// The groups are sorted by a field that the objects are not grouped by.
  case notGrouped(String)
  /// A sum of integers does not fit into 64 bits, or a sum of `Decimal`, or a part of it, has more digits than a
  /// `Decimal` can hold.
  case overflow(String)
  /// Something that the fetch needs could not be read.
  case notReadable(String)
}

extension FetchError: CustomStringConvertible {
  /// The error, its location and the next step to take, as text for people.
  public var description: String {
    switch self {
    case .unknownEntity(let entity):
      "The store was opened without the model \(entity). Open it with \(entity) among its models."
    case .unknownProperty(let term, let entity, let property):
      "'\(term)': \(entity) has no property '\(property)'. Correct the fetch, or drop the archived one."
    case .notToOne(let term, let entity, let property):
      "'\(term)': \(entity).\(property) is no to-one relationship, so nothing can be read through it. Use any or all."
    case .notAnAttribute(let term, let entity, let property):
      "'\(term)': \(entity).\(property) is a relationship, which has no value of this kind. Name an attribute."
    case .notToMany(let term, let entity, let property):
      "'\(term)': \(entity).\(property) is no to-many relationship, so it has no members. Compare its value."
    case .wrongType(let term, let expected, let found):
      "'\(term)' is \(expected) and cannot be compared with \(found). Give a value of the property's type."
    case .notComputable(let term, let found):
      "'\(term)' cannot be computed from \(found). Combine numbers of one type, or a date and seconds; asDouble "
        + "converts an integer."
    case .invalidPattern(let pattern, let offset, let reason):
      "The pattern '\(pattern.count > 100 ? pattern.prefix(100) + "…" : pattern)' is not valid at character "
        + "\(offset): \(reason). Correct it; a backslash makes the next "
        + "character an ordinary one."
    case .notTranslatable(let part, let reason):
      "The predicate has a part that no condition means exactly: \(part); \(reason). Write the condition with fields."
    case .negativeLimit(let limit): "A fetch cannot be limited to \(limit) objects. Give 0 or more."
    case .negativeOffset(let offset): "A fetch cannot leave out the first \(offset) objects. Give 0 or more."
    case .limitedHistory:
      "A fetch with a limit or an offset has no history: what it finds changes with objects that it does not. Give the "
        + "fetch without them; the history itself can be limited."
    case .unknownSectionRule(let name):
      "The fetch was archived with sections by the rule '\(name)', of which archives have the name alone. Give it "
        + "its sections again with sectioned(_:)."
    case .unnamedSections(let term):
      "'\(term)' has sections for whole texts in the order of a locale, which have no names. Use firstCharacter(), or "
        + "make the sections of the property without the locale."
    case .unknownLocale(let term, let locale):
      "'\(term)': the order of '\(locale)' is not known. \(Collation.adviceOnLocales)"
    case .tooDeep(let limit):
      "The condition is nested more than \(limit) levels deep. Write it flatter; isIn(_:) takes the place of many ==."
    case .malformedCondition: "The condition is incomplete. It came from damaged bytes; drop it and build it anew."
    case .notAssignable(let term):
      "'\(term)' is not stored in the objects that the fetch finds, so an update cannot assign to it. Update the "
        + "objects that store it."
    case .notGrouped(let term):
      "Groups cannot be sorted by '\(term)', because the objects are not grouped by it. Sort by a key or an aggregate."
    case .overflow(let aggregate):
      "'\(aggregate)' does not fit into 64 bits, or into the 38 digits of a Decimal. Narrow the fetch, or take the "
        + "average of the integers, which never overflows."
    case .notReadable(let reason): "The fetch could not read what it needs: \(reason)"
    }
  }
}
