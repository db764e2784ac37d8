extension Restoration {
  /// Offers an object to whatever is restored: every node that needs the key receives this instance.
  ///
  /// Before restore. Afterwards it is delivered at once to the nodes that wait for it; it is an error if nothing does,
  /// no kind names it among its needs, and it was not registered before.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has an owner;
  ///   ``RestorationError/invalidID(_:reason:)`` for an empty or blank key, or one with a slash;
  ///   ``RestorationError/nothingWaits(key:_:)``.
  public func register<Value>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try claim(key.id, RegistrationSite(file, line))
    entry.registered = RegisteredObject(value)
    if phase == .restored { deliver(entry.key) }
  }

  /// Offers an object that has a state of its own: what it encoded comes back to it, before any node receives it. It is
  /// archived while a node refers to it. Several scenes may have the same object: then the newest state counts, and a
  /// scene that comes later does not take it back.
  ///
  /// - Throws: as the other form, for objects without a state.
  public func register<Value: RestorableScreen>(
    _ value: Value, as key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let entry = try claim(key.id, RegistrationSite(file, line))
    entry.registered = RegisteredObject(value)
    entry.restorable = value
    if phase == .restored { deliver(entry.key) }
  }

  /// Offers an object that takes its time: `make` begins at once, and nodes that need the key wait for it, their state
  /// pinned. If it throws, they are reported as failed, and their state is kept; ``retry(_:)``, or registering
  /// something under the key again, makes them after all.
  ///
  /// - Throws: as `register(_:as:)`.
  public func register<Value>(
    late key: RestorationKey<Value>, file: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping @MainActor () async throws -> Value
  ) throws {
    let entry = try claim(key.id, RegistrationSite(file, line))
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
        if self.phase == .restored { self.deliver(entry.key) }
      }
    }
    entry.bring?()
    // Nodes that could not be made without it wait again.
    if phase == .restored, waiting[key.id] != nil { deliver(key.id) }
  }

  /// Asks again for what could not be had: a late object whose making failed is begun anew, an object's factory that
  /// returned `nil` or threw is asked once more. Nodes that were not restored for want of it are made as soon as it is
  /// there.
  ///
  /// Nothing happens before restore has finished, nor where nothing failed.
  public func retry<Value>(_ key: RestorationKey<Value>) {
    guard phase == .restored, let entry = objects[key.id] else { return }
    if entry.lateFailure != nil {
      entry.lateFailure = nil
      entry.bring?()
    }
    if waiting[key.id] != nil { deliver(key.id) }
  }

  /// Takes back what was registered under a key. Nodes that have it keep it; its archived state goes, so that the next
  /// owner of the key starts fresh.
  public func unregister<Value>(_ key: RestorationKey<Value>) {
    guard let entry = objects[key.id] else { return }
    if handover?.left(key.id) == true { return }
    entry.late?.cancel()
    entry.late = nil
    entry.bring = nil
    entry.lateFailure = nil
    entry.registered = nil
    entry.restorable = nil
    entry.resolution = .open
    guard phase == .restored else { return }
    if entry.factory == nil { forgetState(of: entry) }
  }

  private func claim(_ key: String, _ site: RegistrationSite) throws(RestorationError) -> ObjectEntry {
    try NodePath.check(key)
    if let entry = objects[key], entry.hasOwner, let first = entry.site {
      guard handover != nil else { throw .duplicate(id: key, first: first, second: site) }
      takeOver(entry)
    }
    if phase == .restored, !isExpected(key) { throw .nothingWaits(key: key, site) }
    let entry = object(key)
    entry.site = site
    entry.lateFailure = nil
    entry.bring = nil
    entry.resolution = .open
    entry.wasRegistered = true
    return entry
  }

  /// After restore, something must wait for what is registered.
  private func isExpected(_ key: String) -> Bool {
    if waiting[key] != nil || neededKeys.contains(key) { return true }
    guard let entry = objects[key] else { return false }
    return entry.wasRegistered || entry.references > 0 || entry.state != nil || entry.factory != nil
  }
}
