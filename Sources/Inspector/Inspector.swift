#if Inspector
public import RepriseCore
import Synchronization

/// A web page that shows a store to its developer: all objects, their whole history, unsaved edits and screens.
///
/// A debug build needs one line: `print(try await Inspector.serve(store).url)`.
///
/// The page follows the saves of all processes. It is served on the loopback address only. The URL has a random token,
/// so other users and other pages cannot read the store. With the URL, a reader sees every value of the store, also
/// from its past. So do not start it in a program that you ship.
///
/// The command `reprise inspect` serves the same page for a store that no program needs to have open.
public final class Inspector: Sendable {
  /// The address of the page, with the token.
  public let url: String
  private let task: Task<Void, any Error>
  private let live: LiveContexts?

  private init(url: String, _ task: Task<Void, any Error>, _ live: LiveContexts?) {
    (self.url, self.task, self.live) = (url, task, live)
  }

  /// Serves the page until ``stop()``, or until the store is closed.
  ///
  /// A request costs as much as the fetch or the part of the log that it shows. A separate thread runs the requests,
  /// one after the other. The main actor reads screens and contexts. Half a minute after the last request, the
  /// inspector has freed its memory. While a page is open, it looks for new drafts several times a second. Each fetch
  /// of the program also costs the text of its condition and plan, for the list of recent fetches.
  ///
  /// - Parameters:
  ///   - store: An open store.
  ///   - port: The port of the loopback address. With 0, the system chooses a free one.
  ///   - isEditable: Whether the page can revert transactions, and resume, save or discard drafts.
  ///   - author: The author of reverts, and of saved drafts without an author.
  /// - Returns: The inspector, once it accepts connections. It also runs if you drop it.
  /// - Throws: ``InspectorError`` if the port is in use or cannot be opened. `CancellationError`.
  @discardableResult
  public static func serve(
    _ store: Store, port: Int = 0, isEditable: Bool = false, author: String = "inspector"
  ) async throws -> Inspector {
    try await serve(store, port: port, isEditable: isEditable, author: author, isLive: true)
  }

  /// - Parameter isLive: Whether the program also uses the store.
  package static func serve(
    _ store: Store, port: Int, isEditable: Bool, author: String, isLive: Bool
  ) async throws -> Inspector {
    let token = AccessRule.makeToken()
    let live = isLive ? LiveContexts() : nil
    let inspection = Inspection(store, isEditable: isEditable, author: author, live: live)
    let events = StoreEvents(store: store) { await inspection.pagesChanged(by: $0) }
    let server = InspectorServer(inspection: inspection, events: events, token: token)
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    if let live { store.add(live.fetches) }
    let task = Task.detached {
      defer {
        if let live { store.remove(live.fetches) }
        continuation.finish()
      }
      do { try await server.run(port: port) { continuation.yield($0) } } catch is CancellationError {} catch {
        throw InspectorError(error, port: port)
      }
      await inspection.end()
      await ServedStores.remove(token: token)
    }
    for await port in ports {
      await ServedStores.add(store, task, token: token)
      return Inspector(url: "http://127.0.0.1:\(port)/\(token)/", task, live)
    }
    if Task.isCancelled {
      task.cancel()
      throw CancellationError()
    }
    try await task.value
    throw InspectorError.cannotListen(port: port, reason: "The server has ended.")
  }

  /// Shows a context and its children on the page, with their unsaved changes and undo steps.
  ///
  /// The page shows the main context without this call. The inspector does not keep the context alive.
  ///
  /// - Parameter context: A context of the main actor, over the store that is served.
  @MainActor public func show(_ context: RootContext) { live?.add(context) }

  /// Ends all connections, and then the server.
  public func stop() async {
    task.cancel()
    _ = try? await task.value
  }

  /// Begins to end the server.
  package func cancel() { task.cancel() }

  /// Returns when the server has ended.
  package func wait() async throws { try await task.value }
}
#endif
