/// Finding what is registered, and making it where it has a factory.
extension Restoration {
  func value<Value>(of key: RestorationKey<Value>) throws(Unmet) -> Value {
    let found = try resolve(key.id)
    if let object = found as? RegisteredObject<Value> { return object.value }
    guard let value = found.any as? Value else {
      throw .object(
        key.id, .failed("'\(key.id)' is registered as \(type(of: found.any)), and \(Value.self) was expected"))
    }
    return value
  }

  /// Makes sure that all keys among the needs can be had, before anything else is done for a node.
  func require(_ needs: [Need]) throws(Unmet) {
    for need in needs { if let key = need.key { _ = try resolve(key) } }
  }

  func resolve(_ key: String) throws(Unmet) -> RegisteredValue {
    guard let entry = objects[key] else { throw .missing(key) }
    switch entry.resolution {
    case .done(let value): return value
    case .refused(let reason): throw reason
    case .open: break
    }
    if let factory = entry.factory { return try make(entry, with: factory) }
    guard let value = entry.registered else {
      if let failure = entry.lateFailure { throw .object(key, .failed(failure)) }
      throw entry.late == nil ? .missing(key) : .waiting(key)
    }
    // Before it decodes, so that two objects may refer to each other.
    entry.resolution = .done(value)
    entry.outcome = .reused
    if let restorable = entry.restorable { try decode(restorable, entry) }
    return value
  }

  private func make(_ entry: ObjectEntry, with factory: any ObjectDefinition) throws(Unmet) -> RegisteredValue {
    try require(factory.needs)
    refuse(entry, .failed("'\(entry.key)' is asked for by its own factory"))
    do throws(Unmet) {
      guard let made = try factory.made(entry, in: self) else { throw .nothing(entry.key) }
      entry.resolution = .done(made)
      changeNeeds(of: entry, to: factory.needs.references)
      let isReused = entry.registered.map { ($0.any as AnyObject) === (made.any as AnyObject) } ?? false
      entry.outcome = isReused ? .reused : .restored
      if waiting[entry.key] != nil { arrived.append(entry.key) }
      mark(entry)
      return made
    } catch {
      entry.outcome = error.outcome
      entry.node = nil
      // Where it is another object that cannot be had, that one's coming is waited for.
      let reason = error.key == nil ? Unmet.object(entry.key, error) : error
      if case .waiting = error { entry.resolution = .open } else { refuse(entry, reason) }
      throw reason
    }
  }

  private func decode(_ restorable: any RestorableScreen, _ entry: ObjectEntry) throws(Unmet) {
    defer {
      let encoder = RestorationEncoder(self)
      restorable.encodeRestorableState(with: encoder)
      entry.stateAtFirst = (try? encoder.encoded(keeping: entry.unknown))?[...]
      markWherever(restorable)
    }
    guard let state = entry.state else { return }
    if let newer = newerState(than: entry, of: restorable) {
      entry.unknown = newer.unknown
      return
    }
    do {
      let decoder = try RestorationDecoder(state, path: NodePath(unchecked: entry.key), in: self)
      try restorable.decodeRestorableState(with: decoder)
      entry.unknown = try decoder.unknownKeys()
      finishing.append(restorable)
    } catch {
      let reason = Unmet.object(
        entry.key, .failed("the state of '\(entry.key)' could not be read: \(StateCodingError(error))"))
      refuse(entry, reason)
      entry.outcome = reason.outcome
      throw reason
    }
  }

  /// So that a hundred nodes that need it do not each ask its factory.
  private func refuse(_ entry: ObjectEntry, _ reason: Unmet) {
    entry.resolution = .refused(reason)
    refused.append(entry)
  }

  func backReference<Object: AnyObject>(_ key: RestorationKey<Object>) -> BackReference<Object> {
    let reference = BackReference<Object>()
    backReferences.append { restoration in reference.object = try? restoration.value(of: key) }
    if phase == .restored { scheduleFlush() }
    return reference
  }

  // MARK: References

  /// Counts references, so that an object is archived while something archived refers to it.
  func retain(_ needs: [String]) {
    for key in needs {
      let entry = object(key)
      entry.references += 1
      guard entry.references == 1 else { continue }
      mark(entry)
      retain(entry.needs)
    }
  }

  func release(_ needs: [String]) {
    for key in needs {
      guard let entry = objects[key], entry.references > 0 else { continue }
      entry.references -= 1
      guard entry.references == 0 else { continue }
      release(entry.needs)
      guard entry.isStored else { continue }
      entry.isStored = false
      removedKeys.insert(ArchiveKey.object(key))
      scheduleFlush()
    }
  }

  func changeNeeds(of entry: NodeEntry, to needs: [String]) {
    guard needs != entry.needs else { return }
    retain(needs)
    release(entry.needs)
    entry.needs = needs
    entry.isMoved = true
  }

  func changeNeeds(of entry: ObjectEntry, to needs: [String]) {
    guard needs != entry.needs else { return }
    if entry.references > 0 {
      retain(needs)
      release(entry.needs)
    }
    entry.needs = needs
  }

  func forgetState(of entry: ObjectEntry) {
    entry.state = nil
    entry.unknown = nil
    entry.node = nil
    guard entry.isStored else { return }
    entry.isStored = false
    removedKeys.insert(ArchiveKey.object(entry.key))
    scheduleFlush()
  }
}
