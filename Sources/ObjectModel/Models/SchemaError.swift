/// An error in a set of models. Opening a store with the models throws it.
public enum SchemaError: Error, Hashable, Sendable {
  /// Two models have the same name.
  case duplicateEntity(String)
  /// Two properties of one model have the same name.
  case duplicateProperty(entity: String, property: String)
  /// An entity or one of its properties has an empty name.
  case emptyName(entity: String)
  /// A former name occurs twice, or equals the present name. The property is `nil` if the name is the model's.
  case repeatedFormerName(String, entity: String, property: String?)
  /// The target of a relationship is not among the models.
  case missingTarget(entity: String, property: String, target: String)
  /// A relationship has no inverse in the target, or more than one, or the two ends disagree.
  case missingInverse(entity: String, property: String, target: String, inverse: String?)
  /// The attribute needs a default, because zero, false or empty is not a value of its type.
  ///
  /// For example, it is an enum.
  case missingDefault(entity: String, property: String)
  /// The merge rule does not apply to the attribute's type.
  case mergeRule(MergeRule, entity: String, property: String)
  /// A rule of an attribute is not valid, for this reason.
  case invalidRule(entity: String, property: String, reason: String)
  /// An index names a property that the model does not have.
  case unknownColumn(entity: String, index: String, column: String)
  /// A column of an index is a to-many relationship, or a to-one relationship stored by its other end.
  case columnNotStored(entity: String, index: String, column: String)
  /// A column of an index over several properties is a blob. A row has room for few blob names.
  case columnIsBlob(entity: String, index: String, column: String)
  /// An index has the same column twice.
  case repeatedColumn(entity: String, index: String, column: String)
  /// An index has no columns.
  case emptyIndex(entity: String)
  /// An index has more columns than a row can hold.
  case tooManyColumns(entity: String, index: String, limit: Int)
  /// An index uses the order of a locale that the program does not have.
  ///
  /// Either the language is unknown, or the module `RepriseLocales` is not linked.
  case unknownLocale(entity: String, index: String, locale: String)
  /// A search index is over an attribute that is not a text.
  case notSearchable(entity: String, property: String)
}

extension SchemaError: CustomStringConvertible {
  /// The error, and the change to make in the models, as text for people.
  public var description: String {
    switch self {
    case .duplicateEntity(let name):
      "Two models are named '\(name)'. Give one of them another name: @Model(\"…\")."
    case .duplicateProperty(let entity, let property):
      "\(entity) has two properties named '\(property)'. Rename one of them."
    case .emptyName(let entity):
      "The model '\(entity)' or one of its properties has an empty name. Give it one."
    case .repeatedFormerName(let name, let entity, let property):
      "'\(name)' is given as a former name of \(entity)\(property.map { ".\($0)" } ?? ""), and it is its present name, "
        + "or given twice. Leave one of them out."
    case .missingTarget(let entity, let property, let target):
      "\(entity).\(property) leads to \(target), which is not among the store's models. "
        + "Open the store with \(target) too."
    case .missingInverse(let entity, let property, let target, let inverse):
      if let inverse {
        "\(entity).\(property) names \(target).\(inverse) as its inverse, which does not lead back to it. "
          + "Correct the inverse."
      } else {
        "\(entity).\(property) has no inverse in \(target), or more than one. "
          + "Name it: @Relationship(inverse: \\\(target).…)."
      }
    case .mergeRule(.counter, let entity, let property):
      "\(entity).\(property) is no number, so it cannot be a counter. Leave the merge rule out."
    case .mergeRule(.set, let entity, let property):
      "\(entity).\(property) is no set: the merge rule is for attributes of type Set, and for integers as sets of "
        + "bits. Leave it out."
    case .mergeRule(.text, let entity, let property):
      "\(entity).\(property) is no text, so its edits cannot be merged as those of one. Leave the merge rule out."
    case .mergeRule(let rule, let entity, let property):
      "\(entity).\(property) cannot have the merge rule \(rule). Leave it out."
    case .invalidRule(let entity, let property, let reason):
      "A rule of \(entity).\(property) cannot be kept: \(reason). Correct it."
    case .unknownColumn(let entity, let index, let column):
      "\(entity) has no property '\(column)', which its index \(index) names. Correct the name."
    case .columnNotStored(let entity, let index, let column):
      "\(entity).\(column) cannot be a column of the index \(index): its objects store no value for it. Use "
        + "attributes, and to-one relationships that store the reference."
    case .columnIsBlob(let entity, let index, let column):
      "\(entity).\(column) cannot be a column of the index \(index): it is a blob, whose name is too long for "
        + "that. Index it on its own."
    case .repeatedColumn(let entity, let index, let column):
      "The index \(index) of \(entity) has the column '\(column)' twice. Leave one of them out."
    case .emptyIndex(let entity):
      "An index of \(entity) has no columns. Name its properties."
    case .tooManyColumns(let entity, let index, let limit):
      "The index \(index) of \(entity) has more than \(limit) columns. Leave some out."
    case .unknownLocale(let entity, let index, let locale):
      "The index \(index) of \(entity) is in the order of '\(locale)', which is not known. "
        + Collation.adviceOnLocales
    case .notSearchable(let entity, let property):
      "\(entity).\(property) is no text, so it cannot be searched. Leave its full-text index out."
    case .missingDefault(let entity, let property):
      "\(entity).\(property) needs a default value, for objects whose value cannot be read. Give it one, or make it "
        + "optional."
    }
  }
}
