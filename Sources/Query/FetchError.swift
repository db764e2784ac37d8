import RepriseObjectModel

/// The reason why a fetch cannot run.
///
/// Every call that takes a fetch throws it: fetches, counts, aggregates, lists, set operations and histories. Most
/// cases are mistakes in the fetch. If the fetch comes from an archive, drop it.
@nonexhaustive
public enum FetchError: RepriseError, Hashable {
  /// The store was opened without this model.
  ///
  /// Calls that take a fetch, and `RemoteSource`, throw it. Open the store with the model.
  case unknownEntity(String)
  /// The model has no such property.
  ///
  /// Calls that take a fetch throw it. Correct the fetch, or drop an archived one.
  case unknownProperty(term: String, entity: String, property: String)
  /// The path of `term` goes through a property that is not a to-one relationship.
  ///
  /// Calls that take a fetch throw it. Use `any` or `all`.
  case notToOne(term: String, entity: String, property: String)
  /// The fetch compares, searches or sorts by `term`, which is a relationship and not an attribute.
  ///
  /// Calls that take a fetch throw it. Name an attribute.
  case notAnAttribute(term: String, entity: String, property: String)
  /// The fetch counts or tests members of `term`, which is not a to-many relationship.
  ///
  /// Calls that take a fetch throw it. Compare its value.
  case notToMany(term: String, entity: String, property: String)
  /// The fetch compares a property with a value of another type.
  ///
  /// Calls that take a fetch throw it. Give a value of the property's type.
  case wrongType(term: String, expected: String, found: String)
  /// The computation `term` has operands that cannot be combined: numbers of two types, a text, or an object.
  ///
  /// Calls that take a fetch throw it. Combine numbers of one type, or a date and seconds.
  case notComputable(term: String, found: String)
  /// A pattern of `like` or `matches` is not valid at `offset`, which counts Unicode scalars.
  ///
  /// Calls that take a fetch throw it. Correct the pattern. If a user typed it, show the offset.
  case invalidPattern(pattern: String, offset: Int, reason: String)
  /// A part of a `#Predicate` has no exact equivalent as a condition.
  ///
  /// `Fetch.init` with a predicate throws it. Write the condition with fields.
  case notTranslatable(part: String, reason: String)
  /// The limit is negative.
  ///
  /// Calls that take a fetch throw it. Give 0 or more.
  case negativeLimit(Int)
  /// The number of objects to skip is negative.
  ///
  /// Calls that take a fetch throw it. Give 0 or more.
  case negativeOffset(Int)
  /// A history was requested for a fetch with a limit or an offset.
  ///
  /// `history(of:)` of a fetch throws it. Limit the history instead of the fetch.
  case limitedHistory
  /// The decoded fetch has sections by a rule, and an archive contains only the rule's name.
  ///
  /// Calls that take a decoded fetch throw it. Give the fetch its sections again with `sectioned`.
  case unknownSectionRule(String)
  /// The list has a section for each text in the order of a locale. Different texts can be equal in this order, so no
  /// text can be the name of such a section.
  ///
  /// `FetchedList` throws it. Use `firstCharacter()`, or make the sections without the locale.
  case unnamedSections(String)
  /// The fetch compares or sorts texts by a locale whose order the program does not have.
  ///
  /// Calls that take a fetch throw it. Either the language is unknown, or the module `RepriseLocales` is not linked.
  /// Correct the locale, or link it.
  case unknownLocale(term: String, locale: String)
  /// `&&` and `||` alternate, or `any` and `all` nest, more deeply than the limit.
  ///
  /// Calls that take a fetch throw it. Write the condition flatter.
  case tooDeep(limit: Int)
  /// The condition is malformed, because it was decoded from data that the library did not write.
  ///
  /// Calls that take a decoded fetch throw it. Drop the fetch.
  case malformedCondition
  /// An update assigns to a property that the fetched objects do not store themselves.
  ///
  /// `update` throws it. Such a property is behind a to-one relationship, is a to-many relationship, or is a to-one
  /// relationship stored by its other end. Update the objects that store it.
  case notAssignable(String)
  /// An update assigns to a derived attribute.
  ///
  /// `update` throws it. Update the attributes that it is computed from.
  case derivedNotAssignable(String)
  /// The groups are sorted by a field that the objects are not grouped by.
  ///
  /// Grouped aggregates throw it. Sort by a key or an aggregate.
  case notGrouped(String)
  /// A sum of integers does not fit into 64 bits, or a sum of `Decimal` values needs more digits than a `Decimal` can
  /// hold.
  ///
  /// Aggregates throw it. Fetch fewer objects, or take the average of the integers.
  case overflow(String)
  /// The task was cancelled while the fetch read the log, to find the objects that have changed since the context's
  /// position.
  ///
  /// Calls that take a fetch throw it, except in contexts at the head. Nothing has changed. Fetch again in another
  /// task, or let an index keep history.
  case cancelled
  /// The store, or values that the fetch needs, could not be read.
  ///
  /// Calls that take a fetch throw it. The reason says how to recover.
  case notReadable(String)
}

extension FetchError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  public var description: String {
    switch self {
    case .unknownEntity(let entity):
      "The store was opened without the model \(entity). Open it with \(entity) among its models."
    case .unknownProperty(let term, let entity, let property):
      "'\(term)': \(entity) has no property '\(property)'. Correct the name. If the fetch was decoded, make it again."
    case .notToOne(let term, let entity, let property):
      "The path '\(term)' continues after \(entity).\(property), which is not a to-one relationship. End the path "
        + "there. To test members of a to-many relationship, use `any` or `all`."
    case .notAnAttribute(let term, let entity, let property):
      "'\(term)' cannot be used as an attribute, because \(entity).\(property) is not an attribute. Name an attribute "
        + "instead."
    case .notToMany(let term, let entity, let property):
      "'\(term)': \(entity).\(property) is not a to-many relationship, so it has no members. Name a to-many "
        + "relationship, or use the value of the property."
    case .wrongType(let term, let expected, let found):
      "The types at '\(term)' do not match: the fetch needs \(expected) there, but has \(found). Correct the value, or "
        + "name another property."
    case .notComputable(let term, let found):
      "'\(term)' cannot be computed from \(found). Combine numbers of one type, or a date and seconds. asDouble "
        + "converts an integer."
    case .invalidPattern(let pattern, let offset, let reason):
      "The pattern '\(pattern.count > 100 ? pattern.prefix(100) + "…" : pattern)' is not valid at character \(offset): "
        + "\(reason). Correct the pattern. To match a sign such as * itself, put a backslash before it."
    case .notTranslatable(let part, let reason):
      "The predicate's part '\(part)' has no exact equivalent as a condition: \(reason). Correct this part, or "
        + "write the condition in the closure of `Fetch`, which has more operations. Or leave the part out, and filter "
        + "the fetched objects."
    case .negativeLimit(let limit): "A fetch cannot be limited to \(limit) objects. Give 0 or more."
    case .negativeOffset(let offset): "A fetch cannot skip the first \(offset) objects. Give 0 or more."
    case .limitedHistory:
      "A fetch with a limit or an offset has no history, because its result depends on objects that it does not find. "
        + "Leave out the limit and the offset, and limit the history instead."
    case .unknownSectionRule(let name):
      "The fetch was archived with sections by the rule '\(name)', but an archive has only the name of a rule. Give "
        + "the fetch its sections again with sectioned(_:)."
    case .unnamedSections(let term):
      "'\(term)' cannot make the sections of a list. In the order of a locale, texts with other spellings can be "
        + "equal, so a section would have several names. Use `firstCharacter()`, or the property without "
        + "`collated(_:)`."
    case .unknownLocale(let term, let locale):
      "'\(term)' needs the order of texts of the locale '\(locale)', which this program does not have. "
        + Collation.adviceOnLocales
    case .tooDeep(let limit):
      "The condition is nested more than \(limit) levels deep. Write it flatter: isIn(_:) replaces many ==."
    case .malformedCondition:
      "The condition is incomplete, because it was decoded from damaged data. Build the condition again."
    case .notAssignable(let term):
      "'\(term)' is not stored in the objects that the fetch finds, so an update cannot assign to it. Update the "
        + "objects that store it."
    case .derivedNotAssignable(let term):
      "'\(term)' is a derived attribute, so an update cannot assign to it. Update the attributes that it is computed "
        + "from."
    case .notGrouped(let term):
      "Groups cannot be sorted by '\(term)', because the objects are not grouped by it. Sort by a key or an aggregate."
    case .overflow(let aggregate):
      "'\(aggregate)' does not fit into 64 bits, or into the 38 digits of a Decimal. Fetch fewer objects, or take the "
        + "average of the integers, which never overflows."
    case .cancelled:
      "The task was cancelled while the fetch read the log. Nothing has changed. Fetch again in another task, or let "
        + "an index keep history, so that the fetch need not read the log."
    case .notReadable(let reason): "The fetch could not read the objects that it needs. \(reason)"
    }
  }
}
