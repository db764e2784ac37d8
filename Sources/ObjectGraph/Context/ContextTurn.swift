/// Runs something at the end of the present turn of an isolation: after the synchronous code that is running now.
struct ContextTurn {
  let isolation: (any Actor)?

  /// Calls `body` with `owner` in a later job of the isolation; not at all if `owner` is gone by then. Without an
  /// isolation there are no turns: `body` runs at once.
  ///
  /// - Parameter orElse: Called instead if the owner is gone.
  func end<Owner: AnyObject>(
    _ owner: Owner, orElse: @escaping @Sendable () -> Void = {}, _ body: @escaping (Owner) -> Void
  ) {
    guard let isolation else { return body(owner) }
    let confined = Confined(owner: owner, body: body, orElse: orElse)
    Task { await Self.run(confined, on: isolation) }
  }

  private static func run<Owner>(_ confined: Confined<Owner>, on isolation: isolated any Actor) {
    if let owner = confined.owner { confined.body(owner) } else { confined.orElse() }
  }

  /// Safe: made in the isolation, and looked into nowhere else.
  private struct Confined<Owner: AnyObject>: @unchecked Sendable {
    weak var owner: Owner?
    let body: (Owner) -> Void
    let orElse: @Sendable () -> Void
  }
}
