extension Restoration {
  /// Registers an object under a key: every node that needs the key receives this instance.
  ///
  /// Call it before restore. Later, the object is delivered at once to the nodes that wait for it; that is an error if
  /// nothing waits, no kind names the key among its needs, and the key was not registered before.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has an owner;
  ///   ``RestorationError/invalidID(_:reason:)`` for an empty or blank key, or one with a slash;
  ///   ``RestorationError/nothingWaits(key:_:)``.
  public func register<Value>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    entry.registered = RegisteredObject(value)
    if currentScene.phase == .restored { builder.deliver(entry.key) }
  }

  /// Registers an object that has a state of its own: what it encoded comes back to it, before any node receives it. It
  /// is archived while a node refers to it. Several scenes may have the same object: then the newest state counts, and
  /// a scene that comes later does not take it back.
  ///
  /// - Throws: as the other form, for objects without a state.
  public func register<Value: RestorableScreen>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    entry.registered = RegisteredObject(value)
    entry.restorable = value
    if currentScene.phase == .restored { builder.deliver(entry.key) }
  }

  /// Registers an object that takes its time: `make` begins at once, and nodes that need the key wait for it, their
  /// state kept. If it throws, they are reported as failed, and their state is kept; ``retry(_:)``, or registering
  /// something under the key again, makes them after all.
  ///
  /// - Throws: as `register(_:as:)`.
  public func register<Value>(
    late key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping @MainActor () async throws -> Value
  ) throws {
    let entry = try objects.claim(key.id, RegistrationSite(file, line))
    entry.bring = { [weak self, unowned entry] in
      entry.late = Task { [weak self] in
        let made: Result<RegisteredObject<Value>, any Error>
        do { made = .success(RegisteredObject(try await make())) } catch { made = .failure(error) }
        guard !Task.isCancelled, let self else { return }
        entry.late = nil
        switch made {
        case .success(let value): entry.registered = value
        case .failure(let error): entry.lateFailure = "'\(key.id)' could not be had: \(error)"
        }
        if currentScene.phase == .restored { self.builder.deliver(entry.key) }
      }
    }
    entry.bring?()
    // Nodes that could not be made without it wait again.
    if currentScene.phase == .restored, objects.waiting[key.id] != nil { builder.deliver(key.id) }
  }

  /// Asks again for what could not be had: a late object that failed is started anew, and a factory that returned `nil`
  /// or threw is asked once more. Nodes that were not restored for want of it are made as soon as it is there.
  ///
  /// Nothing happens before restore has finished, nor where nothing failed.
  public func retry<Value>(_ key: RestorationKey<Value>) {
    guard currentScene.phase == .restored, let entry = objects.entries[key.id] else { return }
    if entry.lateFailure != nil {
      entry.lateFailure = nil
      entry.bring?()
    }
    currentScene.breaker.release(ArchiveKey.object(key.id))
    if objects.waiting[key.id] != nil { builder.deliver(key.id, isWatched: true) }
  }

  /// Takes back what was registered under a key. Nodes that have it keep it; its archived state goes, so that the next
  /// owner of the key starts fresh.
  public func unregister<Value>(_ key: RestorationKey<Value>) { objects.unregister(key.id) }
}
