import RepriseEventStore
import RepriseJournal
import RepriseSystem

extension SharedLog {
  /// Ends the tasks, and returns them. They may still be busy.
  func finish() -> [Task<Void, Never>] {
    let run = state.withLock { state in
      defer { (state.run, state.replica, state.failure) = (nil, nil, nil) }
      return state.run
    }
    guard let run else { return [] }
    run.event.finish()
    let tasks = run.tasks + [run.hints].compactMap(\.self)
    for task in tasks { task.cancel() }
    run.claim.close()
    return tasks
  }

  func start(_ replica: Replica) {
    _ = finish()
    let (events, event) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.replica = replica
      state.counts = Counts()
      state.isFollowedElsewhere = false
      state.draftDeadline = nil
      state.isFollowDue = true
      state.run = Run(event: event, claim: WorkClaim(.sharing, path: replica.store.path + "/data.mdb"), tasks: [])
    }
    let options = options
    var tasks = [
      Task(executorPreference: executor) { [weak self] in
        var connection = SharedLogConnection()
        var iterator = events.makeAsyncIterator()
        repeat {
          // The stream keeps one event that comes meanwhile. So a failing connection is not tried more often.
          if let retry = await Self.work(self, replica, &connection) {
            try? await options.clock.sleep(for: retry)
            event.yield()
          }
        } while await iterator.next() != nil && !Task.isCancelled
      }
    ]
    if let poll = options.poll {
      tasks.append(
        Task(executorPreference: executor) { [weak self] in
          while (try? await options.clock.sleep(for: poll)) != nil, let self { self.lookForPackets() }
        })
    }
    state.withLock { $0.run?.tasks = tasks }
    event.yield()
  }

  /// Listens to the hints of the present connection.
  func listen() {
    let (transport, clock) = (transport, options.clock)
    let task = Task(executorPreference: executor) { [weak self] in
      while !Task.isCancelled {
        for await _ in transport.hints() { self?.lookForPackets() }
        // The transport may have lost its hints, and nothing else.
        try? await clock.sleep(for: .seconds(1))
      }
    }
    let former = state.withLock { state -> Task<Void, Never>? in
      guard state.run != nil else { return task }
      defer { state.run?.hints = task }
      return state.run?.hints
    }
    former?.cancel()
  }

  /// A separate function: while the task waits, it must not keep a log that nobody uses any more.
  private static func work(
    _ log: SharedLog?, _ replica: Replica, _ connection: inout SharedLogConnection
  ) async -> Duration? { await log?.work(replica, &connection) }

  /// Reads new packets soon, if this process does so for the store.
  package func lookForPackets() {
    let event = state.withLock { state in
      state.isFollowDue = true
      return state.run?.event
    }
    event?.yield()
  }
}
