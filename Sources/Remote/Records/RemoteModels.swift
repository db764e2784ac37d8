import RepriseObjectModel

/// The models for the data of remote sources that must outlive the process.
///
/// Sources store their place in the server's list, the changes that the server has not accepted, and the refused rows.
///
/// ```swift
/// let store = try await Store.open("news.reprise", for: Schema([Article.self] + RemoteModels.all))
/// ```
public enum RemoteModels {
  /// The models, to open the store with in addition to the program's own.
  public static var all: [any PersistentModel.Type] { [RemoteState.self, OutboxEntry.self, RefusedRowEntry.self] }

  /// The author, in the log, of transactions that come from a server.
  ///
  /// Changes by this author are not sent.
  public static var author: String { "source" }
}
