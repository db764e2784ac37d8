import RepriseObjectModel
import Synchronization

/// The objects of an overlay's latest changes. With them, values derived from an overlay are updated instead of derived
/// again. The history is bounded: older changes are unknown.
struct OverlayHistory {
  /// Identifies a state of an overlay in this process. Copies of an overlay have the same stamp until one is changed.
  typealias Stamp = UInt64

  private struct Touch {
    let stamp: Stamp
    let object: AnyObjectID
  }

  private static let stamps = Atomic<Stamp>(0)
  private static let limit = 1024

  /// 0 for an overlay that was never changed.
  private(set) var stamp: Stamp = 0
  private var touches: [Touch] = []
  /// Whether `touches` reaches back to the beginning.
  private var isWhole = true

  mutating func touch(_ object: AnyObjectID) {
    stamp = Self.nextStamp()
    if touches.count >= Self.limit {
      touches.removeFirst(Self.limit / 2)
      isWhole = false
    }
    touches.append(Touch(stamp: stamp, object: object))
  }

  /// Forgets the known changes, because any object may have changed.
  mutating func forget() {
    stamp = Self.nextStamp()
    touches.removeAll()
    isWhole = false
  }

  /// The objects touched since an earlier state of the same overlay. `nil` if that is not known.
  func objects(touchedSince earlier: Stamp) -> [AnyObjectID]? {
    if earlier == stamp { return [] }
    if earlier == 0, isWhole { return touches.map(\.object) }
    guard let place = touches.lastIndex(where: { $0.stamp == earlier }) else { return nil }
    return touches[(place + 1)...].map(\.object)
  }

  private static func nextStamp() -> Stamp { stamps.add(1, ordering: .relaxed).newValue }
}

extension [OverlayHistory] {
  /// The objects touched since the same layers were in earlier states. `nil` if that is not known.
  func objects(touchedSince earlier: [OverlayHistory.Stamp]) -> Set<AnyObjectID>? {
    guard count == earlier.count else { return nil }
    var touched: Set<AnyObjectID> = []
    for (history, stamp) in zip(self, earlier) {
      guard let objects = history.objects(touchedSince: stamp) else { return nil }
      touched.formUnion(objects)
    }
    return touched
  }
}
