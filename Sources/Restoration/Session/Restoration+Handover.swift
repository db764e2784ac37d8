extension Restoration {
  /// Lets new owners take IDs over before the former ones leave: within `body` something may be registered under a key
  /// in use, and a node opened at a path in use. By its end the former owners must have been unregistered or closed.
  ///
  /// - Throws: what `body` throws, or ``RestorationError/unfinishedHandover(_:)`` if a former owner is still there.
  ///   Then the former owners have their IDs again, and nothing is written.
  public func handover<Result>(_ body: () throws -> Result) throws -> Result {
    guard objects.handover == nil else { return try body() }
    objects.handover = Handover()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try body()) } catch { result = .failure(error) }
    let handover = objects.handover ?? Handover()
    objects.handover = nil
    let left = builder.giveBack(handover) + objects.giveBack(handover)
    let value = try result.get()
    guard left.isEmpty else { throw RestorationError.unfinishedHandover(left.sorted()) }
    return value
  }
}
