import Synchronization

/// The port that the system has chosen.
final class BoundPort: Sendable {
  private let number = Atomic<Int>(0)

  var port: Int { number.load(ordering: .acquiring) }
  func set(_ port: Int) { number.store(port, ordering: .releasing) }
}
