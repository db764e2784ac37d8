/// A contradiction in a set of models, which the program's author corrects in their declarations.
///
/// An *opening* is `Store.open`, or `ready()` of a store from `Store.opening`. It throws the error in
/// `StoreError.schema`, and so does `StoreMaintenance.preview`. `Condition.holds(for:)` of a detached object throws the
/// error itself.
@nonexhaustive
public enum SchemaError: RepriseError, Equatable {
  /// Two models have the same name.
  ///
  /// Openings throw it. Give one of the models another name.
  case duplicateEntity(String)
  /// Two properties of one model have the same name.
  ///
  /// Openings throw it. Rename one of the properties.
  case duplicateProperty(entity: String, property: String)
  /// An entity or one of its properties has an empty name.
  ///
  /// Openings throw it. Give the entity or the property a name.
  case emptyName(entity: String)
  /// A former name occurs twice, or equals the present name. The property is `nil` if the name is the model's.
  ///
  /// Openings throw it. Leave out one of the names.
  case repeatedFormerName(String, entity: String, property: String?)
  /// The target of a relationship is not among the models.
  ///
  /// Openings throw it. Open the store with the target, too.
  case missingTarget(entity: String, property: String, target: String)
  /// A relationship has no inverse in the target, or more than one, or the two ends disagree.
  ///
  /// Openings throw it. Name the inverse at one end.
  case missingInverse(entity: String, property: String, target: String, inverse: String?)
  /// The attribute needs a default, because zero, false or empty is not a value of its type.
  ///
  /// For example, the attribute is an enum. Openings throw it. Give the attribute a default, or make it optional.
  case missingDefault(entity: String, property: String)
  /// The merge rule does not apply to the attribute's type.
  ///
  /// Openings throw it. Leave the merge rule out.
  case mergeRule(MergeRule, entity: String, property: String)
  /// A rule of an attribute is not valid, for this reason.
  ///
  /// Openings throw it. Correct the rule.
  case invalidRule(entity: String, property: String, reason: String)
  /// An index names a property that the model does not have.
  ///
  /// Openings throw it. Correct the name.
  case unknownColumn(entity: String, index: String, column: String)
  /// A column of an index is a to-many relationship, or a to-one relationship stored by its other end.
  ///
  /// Openings throw it. Use attributes, and to-one relationships that store the reference.
  case columnNotStored(entity: String, index: String, column: String)
  /// A column of an index over several properties is a blob. The names of blobs are too long for a row of several
  /// columns.
  ///
  /// Openings throw it. Declare a separate index over the blob alone.
  case columnIsBlob(entity: String, index: String, column: String)
  /// An index has the same column twice.
  ///
  /// Openings throw it. Name the column once.
  case repeatedColumn(entity: String, index: String, column: String)
  /// An index has no columns.
  ///
  /// Openings throw it. Name the properties of the index.
  case emptyIndex(entity: String)
  /// An index has more columns than a row can hold.
  ///
  /// Openings throw it. Leave some columns out.
  case tooManyColumns(entity: String, index: String, limit: Int)
  /// An index uses the order of a locale that the program does not have.
  ///
  /// Openings throw it. Either the language is unknown, or the module `RepriseLocales` is not linked. Correct the
  /// locale, or link the module.
  case unknownLocale(entity: String, index: String, locale: String)
  /// A search index is over an attribute that is not a text.
  ///
  /// Openings throw it. Remove the search index.
  case notSearchable(entity: String, property: String)
}

extension SchemaError: CustomStringConvertible {
  /// The failure with its place, and the change to make in the models.
  public var description: String {
    switch self {
    case .duplicateEntity(let name):
      "Two models are named '\(name)'. Give one of them another name: @Model(\"…\")."
    case .duplicateProperty(let entity, let property):
      "\(entity) has two properties named '\(property)'. Rename one of them."
    case .emptyName(let entity):
      "The model '\(entity)' or one of its properties has an empty name. Name the model and each property."
    case .repeatedFormerName(let name, let entity, let property):
      "The former names (`was:`) of \(entity)\(property.map { ".\($0)" } ?? "") contain '\(name)'"
        + (name == property ?? entity ? ", which is the present name. Remove it." : " twice. Remove one of them.")
    case .missingTarget(let entity, let property, let target):
      "\(entity).\(property) refers to \(target), which is not among the store's models. "
        + "Open the store with \(target) too."
    case .missingInverse(let entity, let property, let target, let inverse):
      if let inverse {
        "\(entity).\(property) names \(target).\(inverse) as its inverse, but \(target).\(inverse) does not lead back "
          + "to \(entity).\(property). Correct the inverse."
      } else {
        "\(entity).\(property) has no inverse in \(target), or more than one. Name the inverse: @Relationship(inverse: "
          + "\\\(target).…)."
      }
    case .mergeRule(.counter, let entity, let property):
      "\(entity).\(property) is not a number, so it cannot be a counter. Leave the merge rule out."
    case .mergeRule(.set, let entity, let property):
      "\(entity).\(property) is not a set. The merge rule is for attributes of type Set, and for integers as sets of "
        + "bits. Leave the merge rule out."
    case .mergeRule(.text, let entity, let property):
      "\(entity).\(property) is not a text, so its edits cannot be merged word by word. Leave the merge rule out."
    case .mergeRule(let rule, let entity, let property):
      "\(entity).\(property) cannot have the merge rule \(rule). Leave the merge rule out."
    case .invalidRule(let entity, let property, let reason):
      "A rule of \(entity).\(property) is not valid: \(reason). Correct the rule."
    case .unknownColumn(let entity, let index, let column):
      "\(entity) has no property '\(column)', which its index \(index) names. Correct the name."
    case .columnNotStored(let entity, let index, let column):
      "\(entity).\(column) cannot be a column of the index \(index): an object of \(entity) stores no value for it. "
        + "Use attributes, or to-one relationships that \(entity) stores."
    case .columnIsBlob(let entity, let index, let column):
      "\(entity).\(column) cannot be a column of the index \(index): it is a blob, whose digest is too long for an "
        + "index with several columns. Declare an index over \(entity).\(column) alone."
    case .repeatedColumn(let entity, let index, let column):
      "The index \(index) of \(entity) has the column '\(column)' twice. Name each column once."
    case .emptyIndex(let entity):
      "An index of \(entity) has no columns. Name its properties."
    case .tooManyColumns(let entity, let index, let limit):
      "The index \(index) of \(entity) has more than \(limit) columns. Leave some columns out."
    case .unknownLocale(let entity, let index, let locale):
      "The index \(index) of \(entity) needs the order of texts of the locale '\(locale)', which this program does not "
        + "have. " + Collation.adviceOnLocales
    case .notSearchable(let entity, let property):
      "\(entity).\(property) is not a text, so it cannot be searched. Remove its search index."
    case .missingDefault(let entity, let property):
      "\(entity).\(property) needs a default value, for objects whose value cannot be read. Give the attribute a "
        + "default value, or make it optional."
    }
  }
}
