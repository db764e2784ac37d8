import RepriseCore
import Synchronization

/// Reads the transactions of all servers as they come.
final class FeedReader: Sendable {
  private struct State {
    var last: Position = 0
    var count = 0
    var failure: String?
  }

  private let state = Mutex(State())

  init(_ store: Store) {
    let feed = store.log.feed(after: nil)
    Task { [weak self] in
      do {
        for try await transaction in feed { self?.take(transaction.position) }
      } catch {
        self?.fail("the feed ended: \(error)")
      }
    }
  }

  /// The number of transactions. It equals the position of the last one, unless the feed has left one out.
  var count: Int { state.withLock(\.count) }
  var failure: String? { state.withLock(\.failure) }

  private func take(_ position: Position) {
    let last = state.withLock { state in
      defer { (state.last, state.count) = (position, state.count + 1) }
      return state.last
    }
    if position <= last { fail("the feed has transaction \(position) after \(last)") }
  }

  private func fail(_ reason: String) { state.withLock { $0.failure = $0.failure ?? reason } }
}
