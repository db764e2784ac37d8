/// A rename that neither the models nor a migration declare, although it seems likely.
///
/// The models have a property or an entity that the store lacks. The store has one of the same type that no model
/// names, or that a mapping leaves behind. Usually the program renamed the old one to the new one.
///
/// Openings throw it in ``StoreError/possibleRenames(_:)``, which lists the ways to declare a rename, and to declare
/// that there is none.
public struct PossibleRename: Equatable, Sendable {
  /// The model's name.
  public let entity: String
  /// The name of the new attribute or relationship; `nil` if the model is new.
  public let property: String?
  /// The candidates: the names in the store that no model has.
  public let formers: [String]
  /// The entity that has `formers`. It is `nil` if this is the model's own entity. Otherwise, a mapping moves objects
  /// of the entity to the model, and leaves these properties behind.
  public let source: String?

  package init(entity: String, property: String?, formers: [String], source: String? = nil) {
    self.entity = entity
    self.property = property
    self.formers = formers
    self.source = source
  }
}

extension PossibleRename: CustomStringConvertible {
  /// The new property, the old names, and the declaration of a rename.
  public var description: String {
    let known = formers.prefix(3).map { property == nil ? $0 : "\(source ?? entity).\($0)" }.joined(separator: ", ")
    let former = formers.first ?? ""
    let (alike, loss, declaration) =
      property == nil
      ? ("with similar attributes", "\(entity) would begin without objects", "@Model(was: \"\(former)\")")
      : (
        "of the same type", "existing objects would have a default value there",
        "@Attribute(was: \"\(former)\") or @Relationship(was: \"\(former)\")"
      )
    let fact =
      source == nil ? "the store has \(known) \(alike), which no model names" : "the migration leaves \(known) behind"
    return "\(property.map { "\(entity).\($0)" } ?? entity) is new to the store, and \(fact). "
      + "Without a rename, \(loss). If it is the new name of '\(former)', declare \(declaration)"
      + (source == nil ? "." : ", or list the rename in the migration (`renaming:`).")
  }
}
