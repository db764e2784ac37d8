#if HTTP
import Synchronization

/// The pages of a list as they were last sent, for servers that tag each page. Unchanged pages are not sent again. It
/// is a private cache in memory (RFC 9111).
final class PageCache: Sendable {
  fileprivate struct Entry {
    let tag: String
    let response: HTTPResponse
    var reading: Int
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    var size = 0
    /// The number of readings of the list, counted by its first page.
    var reading = 0
  }

  private let state = Mutex(State())

  /// A page with its tag. `nil` if it is not kept.
  func response(_ key: String, isFirst: Bool) -> (tag: String, response: HTTPResponse)? {
    state.withLock { state in
      if isFirst {
        state.reading += 1
        // Entries that no recent reading used have other URLs or headers by now.
        for (key, entry) in state.entries where entry.reading < state.reading - 2 { state.remove(key) }
      }
      state.entries[key]?.reading = state.reading
      return state.entries[key].map { ($0.tag, $0.response) }
    }
  }

  /// Keeps a page if there is room. The first pages stay, because each reading of a list that is too long begins with
  /// them.
  func keep(_ response: HTTPResponse, _ key: String, limit: Int) {
    state.withLock { state in
      state.remove(key)
      guard let tag = response.header("ETag"), state.size + response.body.count <= limit else { return }
      state.entries[key] = Entry(tag: tag, response: response, reading: state.reading)
      state.size += response.body.count
    }
  }
}

extension PageCache.State {
  fileprivate mutating func remove(_ key: String) {
    if let old = entries.removeValue(forKey: key) { size -= old.response.body.count }
  }
}
#endif
