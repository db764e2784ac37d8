import RepriseCore
import RepriseSharing

/// What a server knows, in one line.
struct ServerReport {
  private let head: Position
  private let fed: Int
  private let listed: Int
  private let isFollower: Bool
  private let isDecided: Bool
  private let failure: String?

  init(_ store: Store, _ listed: Int, _ feed: FeedReader) {
    let status = store.sharing?.status
    (head, fed, self.listed) = (store.log.head, feed.count, listed)
    isFollower = status?.isFollower == true
    isDecided = status?.waiting == 0 && status?.problem == nil
    failure = feed.failure ?? status?.failure.map { "\($0)" }
  }

  var text: String { "\(head) \(fed) \(listed) \(isFollower) \(isDecided) \(failure ?? "")" }
}
