import RepriseObjectModel

/// The models in which remote sources keep what must outlive the process: where they are in the server's list, the
/// changes that the server has not accepted yet, and which rows the store could not keep.
///
/// ```swift
/// let store = try await Store.open("news.reprise", for: Schema([Article.self] + RemoteModels.all))
/// ```
public enum RemoteModels {
  /// To be opened with the models of the program.
  public static var all: [any PersistentModel.Type] { [RemoteState.self, OutboxEntry.self, RefusedRowEntry.self] }

  /// The author of what comes from a server, in the log. Changes by this author are not sent.
  public static var author: String { "source" }
}
