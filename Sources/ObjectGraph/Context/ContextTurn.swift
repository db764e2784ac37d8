/// Runs code at the end of an isolation's current turn: after the synchronous code that is running now.
struct ContextTurn {
  let isolation: (any Actor)?

  /// Calls `body` with `owner` in a later job of the isolation, unless `owner` was released in between. Without an
  /// isolation there are no turns, and `body` runs at once.
  ///
  /// - Parameter orElse: Called instead if the owner has been released.
  func end<Owner: AnyObject>(
    _ owner: Owner, orElse: @escaping @Sendable () -> Void = {}, _ body: @escaping (Owner) -> Void
  ) {
    guard let isolation else { return body(owner) }
    let confined = Confined(owner: owner, body: body, orElse: orElse)
    Self.begin(on: isolation) {
      if let owner = confined.owner { confined.body(owner) } else { confined.orElse() }
    }
  }

  /// Calls `body` in a later job of `isolation`.
  static func begin(on isolation: any Actor, _ body: @escaping @Sendable () -> Void) {
    if isolation === MainActor.shared {
      // This task goes straight into the main actor's queue. The task below starts in Swift's thread pool, which
      // creates a thread the first time and wakes a thread each time.
      Task { @MainActor in body() }
    } else {
      Task { await run(body, on: isolation) }
    }
  }

  private static func run(_ body: @Sendable () -> Void, on isolation: isolated any Actor) { body() }

  /// Safe: the value is made in the isolation, and its content is used nowhere else.
  private struct Confined<Owner: AnyObject>: @unchecked Sendable {
    weak var owner: Owner?
    let body: (Owner) -> Void
    let orElse: @Sendable () -> Void
  }
}
