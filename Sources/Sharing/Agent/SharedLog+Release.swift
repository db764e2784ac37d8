import RepriseSystem

extension SharedLog {
  /// A caller that waits for a removal of packets.
  struct Release {
    let place: LogPlace
    let done: CheckedContinuation<Void, any Error>
  }

  /// Removes packets from the shared log that no server needs any more. The shared log keeps all packets otherwise.
  ///
  /// A store that lacks a removed packet can never follow again, and needs a new seed. So keep a seed, and pass the
  /// ``Status/place`` of the store when it made the seed. Each server must have reached that place. The transactions
  /// stay in all stores.
  ///
  /// - Throws: ``SharedLogError``. `unavailable` if the shared log cannot be reached now. `closed` if no store is open
  ///   with this shared log.
  public func release(upTo place: LogPlace) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let (refusal, event) = state.withLock { state -> (SharedLogError?, AsyncStream<Void>.Continuation?) in
        if let failure = state.failure { return (failure, nil) }
        guard let run = state.run else { return (.closed, nil) }
        state.releases.append(Release(place: place, done: done))
        return (nil, run.event)
      }
      if let refusal { done.resume(throwing: refusal) }
      event?.yield()
    }
  }

  func takeRelease() -> Release? {
    state.withLock { $0.releases.isEmpty ? nil : $0.releases.removeFirst() }
  }

  func perform(_ release: Release) async throws {
    do {
      try await transport.release(upTo: release.place)
      release.done.resume()
    } catch {
      release.done.resume(throwing: SharedLogError.unavailable(reason: "\(error)"))
      throw error
    }
  }
}
