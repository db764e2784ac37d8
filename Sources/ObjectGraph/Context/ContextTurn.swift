/// Runs code at the end of an isolation's current turn: after the synchronous code that is running now.
package struct ContextTurn: Sendable {
  package let isolation: (any Actor)?

  package init(isolation: (any Actor)?) { self.isolation = isolation }

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

  /// Calls `body`, which is made in the isolation, in a later job of it. Without an isolation, `body` runs at once.
  package func end(_ body: @escaping () -> Void) {
    guard let isolation else { return body() }
    let confined = ConfinedBody(body: body)
    Self.begin(on: isolation) { confined.body() }
  }

  /// Calls `body` in a later job of `isolation`.
  package static func begin(on isolation: any Actor, _ body: @escaping @Sendable () -> Void) {
    if isolation === MainActor.shared {
      // This task goes straight into the main actor's queue. The task below starts in Swift's thread pool, which
      // creates a thread the first time and wakes a thread each time.
      Task { @MainActor in body() }
    } else {
      Task { await run(body, on: isolation) }
    }
  }

  /// Starts a task in the isolation, with a body that is made in it. The body must be a closure without a capture list:
  /// with one, Swift 6.3 runs it in no isolation.
  package static func task(
    on isolation: any Actor, _ body: nonisolated(nonsending) @escaping () async -> Void
  ) -> Task<Void, Never> {
    let confined = ConfinedTask(body: body)
    return isolation === MainActor.shared
      ? Task { @MainActor in await confined.body() } : Task { await run(confined, on: isolation) }
  }

  /// Calls `body` in `isolation`, and returns when it has ended.
  package static func run(_ body: @Sendable () -> Void, on isolation: isolated any Actor) { body() }

  private static func run(_ confined: ConfinedTask, on isolation: isolated any Actor) async { await confined.body() }

  /// Safe: the value is made in the isolation, and its content is used nowhere else.
  private struct Confined<Owner: AnyObject>: @unchecked Sendable {
    weak var owner: Owner?
    let body: (Owner) -> Void
    let orElse: @Sendable () -> Void
  }

  /// Safe: the value is made in the isolation, and its content is used nowhere else.
  private struct ConfinedBody: @unchecked Sendable { let body: () -> Void }

  /// Safe: the value is made in the isolation, and its content is used nowhere else.
  private struct ConfinedTask: @unchecked Sendable { let body: nonisolated(nonsending) () async -> Void }
}
