import RepriseObjectGraph

extension Restoration {
  /// Registers an object under a key: every node that needs the key receives this instance. A context whose store is
  /// not open yet comes late, unless it is the store with the archive, for which restore waits (``waitsForStore``):
  /// nodes that need it wait until it is ready.
  ///
  /// Call it before restore. Later, the object is delivered at once to the nodes that wait for it; that is an error if
  /// nothing waits, no kind names the key among its needs or is a two-step one, whose screens refer to any key, and the
  /// key was not registered before.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has an owner;
  ///   ``RestorationError/invalidID(_:reason:)`` for an empty or blank key, or one with a slash;
  ///   ``RestorationError/nothingWaits(key:_:)``.
  public func register<Value>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    if let context = value as? EditingContext, context.store.isOpening {
      let isOfArchive = ObjectIdentifier(context.store) == currentScene.storage.identity
      if !isOfArchive || currentScene.phase != .registering {
        return try register(late: key, file: file, line: line) {
          try await context.ready()
          return value
        }
      }
      let entry = try objects.claim(key.id, RegistrationSite(file, line))
      entry.registered = RegisteredObject(value)
      entry.isContext = true
      // If restore does not wait for it.
      entry.comeLate = { [weak self, unowned entry] in
        entry.registered = nil
        self?.bring(entry, within: nil, instead: nil as Value?) {
          try await context.ready()
          return value
        }
      }
      return
    }
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    deliver(RegisteredObject(value), to: entry)
  }

  /// Registers an object that has a state of its own: what it encoded comes back to it, before any node receives it. It
  /// is archived while a node refers to it. Several scenes may have the same object under one key: then it is archived
  /// once, as long as one of them refers to it, and comes back as it was last, whichever of them come back. A scene
  /// that comes later does not take it back. A new scene takes up no state: its object stays as it is, and is archived
  /// with the others' once a live scene that has theirs has the same instance. So windows of different documents may
  /// use one key. Of two processes with such scenes one writes that record, and the newest state counts.
  ///
  /// - Throws: as the other form, for objects without a state.
  public func register<Value: RestorableScreen>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    entry.restorable = value
    deliver(RegisteredObject(value), to: entry)
  }

  /// Registers an object that takes its time: `make` begins at once, and nodes that need the key wait for it, their
  /// state kept. If it throws, they are reported as failed, and their state is kept; ``retry(_:)``, or registering
  /// something under the key again, makes them after all.
  ///
  /// - Parameters:
  ///   - limit: In which time it is to come; `nil` for any. If it does not, nodes that need it are reported as skipped,
  ///     their state kept whatever ``keptNodes`` says; they are made when it comes after all.
  ///   - placeholder: What such nodes are made with instead, if it does not come in time. When it comes after all,
  ///     they are made again, with the object itself: see ``onReplacement``.
  /// - Throws: as `register(_:as:)`.
  public func register<Value>(
    late key: RestorationKey<Value>, within limit: Duration? = nil, placeholder: Value? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping @MainActor () async throws -> Value
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    bring(entry, within: limit, instead: placeholder, make)
    // Nodes that could not be made without it wait again.
    if currentScene.phase == .restored, objects.waiting[key.id] != nil { builder.deliver(key.id) }
  }

  /// Begins to make what is registered late, and again when it is retried.
  private func bring<Value>(
    _ entry: ObjectEntry, within limit: Duration?, instead placeholder: Value?,
    _ make: @escaping @MainActor () async throws -> Value
  ) {
    let instead = placeholder.map { RegisteredObject($0) }
    entry.bring = { [weak self, unowned entry] in
      guard let self else { return }
      let arrival = LateArrival(limit: limit)
      entry.late = arrival
      arrival.begin(currentScene.sleep) { [weak self] in
        let made: Result<RegisteredObject<Value>, any Error>
        do { made = .success(RegisteredObject(try await make())) } catch { made = .failure(error) }
        guard !Task.isCancelled, let self, entry.late === arrival else { return }
        entry.late = nil
        arrival.end()
        entry.resolution = .open
        switch made {
        case .success(let value): deliver(value, to: entry)
        case .failure(let error):
          entry.lateFailure = "'\(entry.key)' could not be had: \(error)"
          if currentScene.phase == .restored { builder.deliver(entry.key) }
        }
        onLateProgress?()
      } overdue: { [weak self] in
        guard let self, entry.late === arrival else { return }
        if entry.registered == nil {
          entry.registered = instead
          entry.isPlaceholder = instead != nil
          if let instead { objects.noteContext(instead, of: entry) }
        }
        if currentScene.phase == .restored { builder.deliver(entry.key) }
        onLateProgress?()
      }
    }
    entry.bring?()
  }

  /// Restore has not waited for the store: what is of it comes late.
  func bringLateWhatTheStoreHas() {
    let isOpening = currentScene.storage.isOpening
    for entry in objects.entries.values {
      if isOpening { entry.comeLate?() }
      entry.comeLate = nil
    }
    guard isOpening else { return }
    let storage = currentScene.storage
    Task { [weak self] in
      // Only now it is known which drafts have edits.
      if (try? await storage.ready()) != nil { self?.reports.update() }
    }
  }

  /// What is registered under a key is there: nodes that wait for it are made, and those that a placeholder made are
  /// made again.
  private func deliver(_ value: RegisteredValue, to entry: ObjectEntry) {
    let placeholder = entry.isPlaceholder
    entry.registered = value
    objects.noteContext(value, of: entry)
    entry.isPlaceholder = false
    guard currentScene.phase == .restored else { return }
    var replaced: [NodeBuilder.Replacement] = []
    if placeholder {
      let nodes = builder.nodesMade(with: entry.key)
      do throws(RestorationError) { try saver.takeStates(of: nodes) } catch { onProblem?(error) }
      objects.replacePlaceholder(entry.key)
      entry.resolution = .open
      replaced = builder.makeAgain(nodes)
    }
    builder.deliver(entry.key)
    for node in replaced { onReplacement?(node.path, node.former, node.screen) }
  }

  /// What is registered late and is not there yet, ordered by key.
  public var lateSources: [LateSource] {
    objects.entries.values.compactMap { entry -> LateSource? in
      let stage: LateSource.Stage
      if let late = entry.late {
        stage = late.isOverdue ? .overdue : .coming
      } else if let failure = entry.lateFailure {
        stage = .failed(reason: failure)
      } else {
        return nil
      }
      let waiting = objects.waiting[entry.key]?.filter { $0.status == .waiting } ?? []
      return LateSource(
        key: entry.key, stage: stage, fraction: entry.late?.fraction,
        waitingNodes: Set(waiting.map(ObjectIdentifier.init)).count)
    }.sorted { $0.key < $1.key }
  }

  /// Says how much of what is registered late under a key has come, for ``lateSources``. Nothing happens if nothing is
  /// on its way.
  ///
  /// - Parameter fraction: From 0 to 1; what is beyond counts as the nearer of the two.
  public func reportProgress<Value>(_ fraction: Double, of key: RestorationKey<Value>) {
    guard let late = objects.entries[key.id]?.late, !fraction.isNaN else { return }
    late.fraction = min(1, max(0, fraction))
    onLateProgress?()
  }

  /// Asks again for what could not be had: a late object that failed or is overdue is started anew, and a factory that
  /// returned `nil` or threw is asked once more. Nodes that were not restored for want of it are made as soon as it is
  /// there.
  ///
  /// Nothing happens before restore has finished, nor where nothing failed.
  public func retry<Value>(_ key: RestorationKey<Value>) {
    guard currentScene.phase == .restored, let entry = objects.entries[key.id] else { return }
    if entry.lateFailure != nil || entry.late?.isOverdue ?? false {
      entry.lateFailure = nil
      entry.late?.cancel()
      entry.bring?()
      onLateProgress?()
    }
    currentScene.breaker.release(ArchiveKey.object(key.id))
    if objects.waiting[key.id] != nil { builder.deliver(key.id, isWatched: true) }
  }

  /// Takes back what was registered under a key. Nodes that have it keep it; its archived state goes, so that the next
  /// owner of the key starts fresh.
  public func unregister<Value>(_ key: RestorationKey<Value>) { objects.unregister(key.id) }
}
