import RepriseLog
import RepriseObjectModel

/// The reason why nothing was erased. `StoreMaintenance.erase` throws it.
@nonexhaustive
public enum ErasureError: RepriseError, Equatable {
  /// The store has no entity, or the entity has no property, of this name. `property` is `nil` if the entity is
  /// missing.
  ///
  /// `erase` throws it. Correct the name.
  case unknown(entity: String, property: String?)
  /// The log does not have the object.
  ///
  /// `erase` throws it. Leave the object out.
  case notFound(AnyObjectID)
  /// Dead processes have left these files in the folder `journals`, and the files may contain the values.
  ///
  /// `erase` throws it. Open the store and close it, which recovers journals. Remove files that end in `.damaged`:
  /// nothing reads them.
  case journals([String])
  /// These indexes are still being built from the log.
  ///
  /// `erase` throws it. Open the store, wait for `waitForIndexes()`, and close it.
  case unfinishedIndexes([String])
  /// A program without these derived attributes has changed objects. So their present values may have been computed
  /// from values to erase.
  ///
  /// `erase` throws it. Open the store with a program that has the attributes, which computes them, and close it. If
  /// they are ordinary attributes by now, assign other values to them.
  case outdatedDerivations([String])
}

extension ErasureError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unknown(let entity, let property):
      "Nothing was erased. The store has no \(property.map { "property \(entity).\($0)" } ?? "entity '\(entity)'"). "
        + "Correct the name."
    case .notFound(let object):
      "Nothing was erased. The log does not have the object \(object). Leave this object out of the call."
    case .journals(let names):
      "Nothing was erased. The folder 'journals' has uncommitted edits, which may contain the values to erase: "
        + "\(names.joined(separator: ", ")). Open the store and close it, which moves these edits into the store. "
        + "Remove files that end in .damaged, because nothing reads them."
    case .unfinishedIndexes(let names):
      "Nothing was erased. These indexes are still being built from the log: \(names.joined(separator: ", ")). Open "
        + "the store, wait for `waitForIndexes()`, and close it."
    case .outdatedDerivations(let names):
      "Nothing was erased. A program that lacks these derived attributes changed the objects, so the attributes may "
        + "still contain the values to erase: \(names.joined(separator: ", ")). Open the store with a program that has "
        + "the attributes, so that it computes them again, and close the store. If they are ordinary attributes "
        + "by now, assign other values to them."
    }
  }
}
