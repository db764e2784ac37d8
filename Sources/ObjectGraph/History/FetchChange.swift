import RepriseEventStore
import RepriseObjectModel

/// The changes of one transaction to the results of a fetch.
public struct FetchChange<Model: PersistentModel>: Equatable, Sendable {
  /// The transaction, with its author and time.
  ///
  /// Its changes are limited to the objects named here. An object can enter or leave the results because a related
  /// object changed. The transaction then has no change of that object.
  public let transaction: LoggedTransaction
  /// The objects that match after the transaction and did not match before, in order of creation.
  public let added: [Model.ID]
  /// The objects that matched before the transaction and do not match after it, in order of creation. They may be
  /// deleted.
  public let removed: [Model.ID]
  /// The objects that match before and after, and whose own attributes or to-one relationships changed, in order of
  /// creation.
  public let updated: [Model.ID]
}
