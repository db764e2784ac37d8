import RepriseEventStore
import RepriseObjectGraph

extension Restoration {
  /// Registers an object under a key, so that every node that needs the key receives this instance.
  ///
  /// If the object is a context whose store is not open yet, it is a late object. Nodes that need it wait until the
  /// store is open. The store with the archive is an exception if restore waits for it, see ``waitsForStore``.
  ///
  /// Call it before restore. If you call it later, nodes that wait for the key are made at once. Such a call throws
  /// ``RestorationError/nothingWaits(key:_:)`` if nothing can need the key. The key can be needed if a node waits for
  /// it or refers to it, or if a definition names it. The same is true if an object was registered under it before. All
  /// keys can be needed if a kind with a ``RestorableScreen`` is defined, or a kind whose nodes choose their keys.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has an owner.
  ///   ``RestorationError/invalidID(_:reason:)`` if the key is empty or blank, or contains a slash.
  ///   ``RestorationError/nothingWaits(key:_:)`` if it is called after restore, and nothing can need the key.
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
      // Called if restore does not wait for the context's store.
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

  /// Registers an object that encodes a state. After a relaunch, the object decodes the state before any node receives
  /// the object.
  ///
  /// The state is archived while a node refers to the object.
  ///
  /// If several scenes register the same instance under one key, the archive keeps one state for it while one of them
  /// refers to it. After a relaunch, the object has its newest state, no matter which of the scenes are restored. A
  /// scene that is restored later does not reset the object to an older state.
  ///
  /// A new scene restores no state, so its object stays as it is. The object shares the archived state of other scenes
  /// once one of them is live and has the same instance. Windows of different documents can therefore use one key. If
  /// two processes have such scenes, one process writes the shared state, and the newest state counts.
  ///
  /// - Throws: As for objects without a state, which `register(_:as:)` documents.
  public func register<Value: RestorableScreen>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    entry.restorable = value
    deliver(RegisteredObject(value), to: entry)
  }

  /// Registers an object that takes time to make.
  ///
  /// Nodes that need the key wait for it, and keep their states.
  ///
  /// `make` begins at once. If it throws, these nodes are reported as failed. To try again, call ``retry(_:)``, or
  /// register something under the key again.
  ///
  /// - Parameters:
  ///   - limit: The time limit. `nil` sets none. After the limit, the report says
  ///     ``RestorationReport/Outcome/skipped(reason:)`` for nodes that need the object. ``unrestoredNodeRetention``
  ///     does not drop them. If the object still arrives, they are made.
  ///   - placeholder: After the limit, these nodes are made with this object instead. When the actual object arrives,
  ///     the nodes are made again with it, see ``onReplacement``.
  ///   - make: Makes the object, on the actor of the `Restoration`. On another actor than the main actor, give the
  ///     closure no capture list. Swift 6.3 would run it in no isolation.
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has an owner, and the other errors of
  ///   registering an object that exists.
  public func register<Value>(
    late key: RestorationKey<Value>, within limit: Duration? = nil, placeholder: Value? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ make: nonisolated(nonsending) @escaping () async throws -> Value
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    bring(entry, within: limit, instead: placeholder, make)
    // Nodes that could not be made because they lacked the object wait again.
    if currentScene.phase == .restored, objects.waiting[key.id] != nil { builder.deliver(key.id) }
  }

  /// Begins to produce a late object, also for each retry.
  private func bring<Value>(
    _ entry: ObjectEntry, within limit: Duration?, instead placeholder: Value?,
    _ make: nonisolated(nonsending) @escaping () async throws -> Value
  ) {
    let instead = placeholder.map { RegisteredObject($0) }
    entry.bring = { [weak self, unowned entry] in
      guard let self else { return }
      let arrival = LateArrival(limit: limit)
      entry.late = arrival
      // Swift 6.3 would run a closure with a capture list off the actor.
      weak var restoration = self
      arrival.begin(on: currentScene.isolation, currentScene.sleep) {
        let made: Result<RegisteredObject<Value>, any Error>
        do { made = .success(RegisteredObject(try await make())) } catch { made = .failure(error) }
        // The entry lives as long as the restoration.
        guard !Task.isCancelled, let restoration, entry.late === arrival else { return }
        restoration.take(made, as: entry)
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

  private func take<Value>(_ made: Result<RegisteredObject<Value>, any Error>, as entry: ObjectEntry) {
    entry.late?.end()
    entry.late = nil
    entry.resolution = .open
    switch made {
    case .success(let value): deliver(value, to: entry)
    case .failure(let error):
      entry.lateFailure = "the closure that makes '\(entry.key)' threw: \(error)"
      if currentScene.phase == .restored { builder.deliver(entry.key) }
    }
    onLateProgress?()
  }

  /// If restore has not waited for the store, makes the contexts of the store arrive late.
  func bringLateWhatTheStoreHas() {
    let isOpening = currentScene.storage.isOpening
    for entry in objects.entries.values {
      if isOpening { entry.comeLate?() }
      entry.comeLate = nil
    }
    guard isOpening else { return }
    let storage = currentScene.storage
    weak var restoration = self
    _ = ContextTurn.task(on: currentScene.isolation) {
      // Only now it is known which drafts have edits.
      if (try? await storage.ready()) != nil { restoration?.reports.update() }
    }
  }

  /// The object of a key has arrived. Makes the nodes that wait for it, and makes the nodes again that have its
  /// placeholder.
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

  /// The objects that are registered late and have not arrived, ordered by key.
  public var lateObjects: [LateObject] {
    objects.entries.values.compactMap { entry -> LateObject? in
      let stage: LateObject.Stage
      if let late = entry.late {
        stage = late.isOverdue ? .overdue : .pending
      } else if let failure = entry.lateFailure {
        stage = .failed(reason: failure)
      } else {
        return nil
      }
      let waiting = objects.waiting[entry.key]?.filter { $0.status == .waiting } ?? []
      return LateObject(
        key: entry.key, stage: stage, fraction: entry.late?.fraction,
        waitingNodes: Set(waiting.map(ObjectIdentifier.init)).count)
    }.sorted { $0.key < $1.key }
  }

  /// Sets the progress of a late object, for ``lateObjects``.
  ///
  /// Does nothing if no object is on its way.
  ///
  /// - Parameter fraction: The progress, clamped to the range from 0 to 1.
  public func reportProgress<Value>(_ fraction: Double, of key: RestorationKey<Value>) {
    guard let late = objects.entries[key.id]?.late, !fraction.isNaN else { return }
    late.fraction = min(1, max(0, fraction))
    onLateProgress?()
  }

  /// Tries again to make an object that could not be made.
  ///
  /// If a late object failed or is overdue, the call starts it again. If its factory threw or returned `nil`, the call
  /// runs the factory again. The nodes that need the object are made as soon as it arrives. The call does nothing
  /// before restore has finished, or if the object did not fail.
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

  /// Removes the registration of a key.
  ///
  /// Nodes that have the object keep it.
  ///
  /// After restore, its archived state is also removed, so the next owner of the key starts without one. A key that has
  /// a factory keeps its state. Within a ``handOver(_:)``, the state passes to the new owner.
  public func unregister<Value>(_ key: RestorationKey<Value>) { objects.unregister(key.id) }
}
