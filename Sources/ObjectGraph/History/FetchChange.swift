import RepriseEventStore
import RepriseObjectModel

/// What a transaction changed in what a fetch finds.
public struct FetchChange<Model: PersistentModel>: Hashable, Sendable {
  /// The transaction, with its author and time. Of its changes those to the objects named here; there may be none of an
  /// object that came in, or went, because something else changed.
  public let transaction: LoggedTransaction
  /// The objects that the fetch finds after the transaction and did not before, by birth.
  public let added: [Model.ID]
  /// The objects that it found before and does not after, by birth; they may be deleted.
  public let removed: [Model.ID]
  /// The objects that it finds before and after, of which attributes or to-ones of their own changed, by birth.
  public let updated: [Model.ID]
}
