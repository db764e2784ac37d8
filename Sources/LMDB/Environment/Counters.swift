import Synchronization

/// Counts the operations of an environment in this process, for tests and reports.
package final class Counters: Sendable {
  private let counts: [Cell] = Event.allCases.map { _ in Cell() }

  package enum Event: Int, CaseIterable, Sendable {
    case commit, abort, mapResize, readerCheck
    /// A commit with an after-image, one that was repeated, and an after-image that was withdrawn.
    case afterImage, repetition, withdrawal
  }

  private final class Cell: Sendable {
    let value = Atomic<Int>(0)
  }

  func count(_ event: Event) {
    counts[event.rawValue].value.wrappingAdd(1, ordering: .relaxed)
  }

  package subscript(_ event: Event) -> Int {
    counts[event.rawValue].value.load(ordering: .relaxed)
  }
}
