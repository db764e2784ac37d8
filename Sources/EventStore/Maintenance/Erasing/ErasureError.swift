import RepriseObjectModel

/// Why nothing was erased.
@nonexhaustive
public enum ErasureError: RepriseError, Hashable {
  /// The store has no entity, or the entity no property, of this name. The property is `nil` if it is the entity.
  case unknown(entity: String, property: String?)
  /// The log knows nothing of the object.
  case notFound(AnyObjectID)
  /// What processes that died left in these files of the folder `journals` may tell of the values.
  case journals([String])
  /// These indexes are still being built, and read the log.
  case unfinishedIndexes([String])
}

extension ErasureError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .unknown(let entity, let property):
      "The store has no \(property.map { "\(entity).\($0)" } ?? "entity '\(entity)'"). Nothing was erased."
    case .notFound(let object): "The log knows nothing of \(object). Nothing was erased."
    case .journals(let names):
      "The folder 'journals' has \(names.joined(separator: ", ")), which may tell of the values. Open the store and "
        + "close it, which takes journals up; files that end in .damaged are never read: remove them. Nothing was "
        + "erased."
    case .unfinishedIndexes(let names):
      "\(names.joined(separator: ", ")) are still being built from the log. Open the store, wait for "
        + "`waitForIndexes()`, and close it. Nothing was erased."
    }
  }
}
