/// A property or a model that is new to a store, while the store has something of the same type that no model names:
/// most often it was renamed, and the models do not say so.
public struct PossibleRename: Hashable, Sendable {
  /// The model's name.
  public let entity: String
  /// The name of the new attribute or relationship; `nil` if the model is new.
  public let property: String?
  /// The names in the store that no model has.
  public let formers: [String]

  package init(entity: String, property: String?, formers: [String]) {
    self.entity = entity
    self.property = property
    self.formers = formers
  }
}

extension PossibleRename: CustomStringConvertible {
  /// What is new, what is left, and how to say that both are the same.
  public var description: String {
    let known = formers.prefix(3).map { property == nil ? $0 : "\(entity).\($0)" }.joined(separator: ", ")
    let mark = property == nil ? "Model" : "Attribute"
    return "\(property.map { "\(entity).\($0)" } ?? entity) is new to the store, and no model names \(known), of the "
      + "same type: objects would read defaults. If it was renamed, declare @\(mark)(was: \"\(formers.first ?? "")\")."
  }
}
