import RepriseEventStore

/// The registered objects. Finds an object by its key, or lets its factory make it.
final class ObjectRegistry {
  private(set) var entries: [String: ObjectEntry] = [:]
  /// Nodes that wait, by the key that they wait for.
  var waiting: [String: [NodeEntry]] = [:]
  /// The keys that definitions name among their needs.
  private var neededKeys: Set<String> = []
  /// Whether a definition lets each node or screen choose its keys.
  private var mayNeedAnyKey = false
  /// Objects that were not available. They are not requested again until all factories have run.
  private var refused: [ObjectEntry] = []
  /// Keys that nodes wait for, and whose objects factories have made since.
  private var arrived: [String] = []
  private var backReferences: [(ObjectRegistry) -> Void] = []
  var handover: Handover?
  /// The nodes to close when the handover has finished.
  var closing: [NodeEntry] { handover?.closing ?? [] }
  /// The archive that scenes share. `nil` until it is needed.
  var sharedArchive: SharedArchive?
  /// Whether the program refused the archive: then shared states are not for this scene either.
  var ignoresShared = false
  /// Whether the archive may have nodes that were not read.
  var hasUnreadNodes = false

  let scene: Scene
  let screens: TwoPhaseScreens
  let changes: TurnChanges

  init(_ scene: Scene, _ screens: TwoPhaseScreens, _ changes: TurnChanges) {
    self.scene = scene
    self.screens = screens
    self.changes = changes
  }

  /// The entry of a key, which need not be registered.
  func entry(_ key: String) -> ObjectEntry {
    if let entry = entries[key] { return entry }
    let entry = ObjectEntry(key)
    entries[key] = entry
    return entry
  }

  /// Records that nodes may need any key, because screens of a two-phase kind can name any key when they encode.
  func needAnyKey() { mayNeedAnyKey = true }

  func need(_ needs: [Need]) {
    for key in needs.references { neededKeys.insert(key) }
    if needs.contains(where: { $0.nodeKey != nil }) { mayNeedAnyKey = true }
  }

  /// Whether a node may need the object of a key after restore.
  func isExpected(_ key: String) -> Bool {
    if mayNeedAnyKey || waiting[key] != nil || neededKeys.contains(key) { return true }
    guard let entry = entries[key] else { return false }
    return entry.wasRegistered || entry.references > 0 || entry.state != nil || entry.factory != nil
  }

  /// Whether the object of a key is available and its store is open. A placeholder or a late object that has not
  /// arrived does not count.
  func isThere(_ key: String) -> Bool {
    guard let entry = entries[key], !entry.isPlaceholder else { return false }
    let value: RegisteredValue? =
      if case .done(let value) = entry.resolution { value } else { entry.factory == nil ? entry.registered : nil }
    return value.map { $0.draftStorage?.isWritable ?? true } ?? false
  }

  /// Whether all registered objects are available.
  var areAllThere: Bool { entries.values.allSatisfy { !$0.hasSource || isThere($0.key) } }

  /// Makes the objects of factories, as far as possible.
  func makeObjects(_ keys: Set<String>) {
    for key in keys.sorted() where entries[key]?.factory != nil { _ = try? resolve(key) }
  }

  func removeAll() {
    for entry in entries.values {
      entry.late?.cancel()
      if !handOverNode(of: entry) { entry.node?.moved(to: nil) }
    }
    (entries, waiting) = ([:], [:])
    if !scene.isReadOnly { sharedArchive?.exit(scene.name) }
    sharedArchive = nil
  }

  // MARK: Resolving

  func value<Value>(of key: RestorationKey<Value>) throws(Unmet) -> Value {
    try resolve(key.id).value(as: Value.self, of: key.id)
  }

  /// Resolves all keys among the needs, before anything else is done for a node, or, with `nil`, for an object.
  func require(_ needs: [Need], of entry: NodeEntry?) throws(Unmet) {
    for need in needs {
      let own = entry.flatMap { need.neededKey?.id(for: $0.chooser, at: $0.path) }
      if let key = own ?? need.key { _ = try resolve(key) }
    }
  }

  func resolve(_ key: String) throws(Unmet) -> RegisteredValue {
    guard let entry = entries[key] else { throw .missing(key) }
    switch entry.resolution {
    case .done(let value): return value
    case .refused(let reason): throw reason
    case .open: break
    }
    if let factory = entry.factory { return try make(entry, with: factory) }
    guard let value = entry.registered else {
      if let failure = entry.lateFailure { throw .object(key, .failed(failure)) }
      guard let late = entry.late else { throw .missing(key) }
      guard late.isOverdue, let limit = late.limit else { throw .waiting(key) }
      throw .object(key, .skipped("'\(key)' did not arrive within \(limit)"))
    }
    // Set before the object decodes, so that two objects may refer to each other.
    entry.resolution = .done(value)
    entry.outcome = .reused
    if let restorable = entry.restorable { try decode(restorable, entry) }
    return value
  }

  private func make(_ entry: ObjectEntry, with factory: any ObjectDefinition) throws(Unmet) -> RegisteredValue {
    try require(factory.needs, of: nil)
    refuse(entry, .failed("the factory of '\(entry.key)' needs '\(entry.key)' itself"))
    takeUpShared(entry, nil)
    do throws(Unmet) {
      if scene.breaker.holds(ArchiveKey.object(entry.key)) { throw .quarantined("'\(entry.key)'") }
      let restored = try scene.breaker.watching(ArchiveKey.object(entry.key)) { () throws(Unmet) in
        try factory.made(entry)
      }
      guard let made = restored else { throw .nothing(entry.key) }
      entry.resolution = .done(made)
      noteContext(made, of: entry)
      changeNeeds(of: entry, to: factory.needs.references)
      takeUpLive(entry)
      let isReused = entry.registered.map { ($0.any as AnyObject) === (made.any as AnyObject) } ?? false
      entry.outcome = isReused ? .reused : .restored
      if waiting[entry.key] != nil { arrived.append(entry.key) }
      changes.mark(entry)
      return made
    } catch {
      entry.outcome = error.outcome
      entry.node = nil
      // If another object is missing, the node waits for that one.
      let reason = error.key == nil ? Unmet.object(entry.key, error) : error
      if case .waiting = error { entry.resolution = .open } else { refuse(entry, reason) }
      throw reason
    }
  }

  /// Takes note of an editing context that was registered or made.
  func noteContext(_ value: RegisteredValue, of entry: ObjectEntry) {
    value.draftStorage.map(scene.stores.add)
    if value.isContext { entry.isContext = true }
  }

  private func decode(_ restorable: any RestorableScreen, _ entry: ObjectEntry) throws(Unmet) {
    defer {
      let encoder = RestorationEncoder(self)
      restorable.encodeRestorableState(with: encoder)
      entry.stateAtFirst = (try? encoder.encoded(keeping: entry.unknown))?[...]
      markWherever(restorable)
    }
    takeUpShared(entry, restorable)
    if let newer = newerState(than: entry, of: restorable) {
      entry.unknown = newer.unknown
      // This scene writes that state with its original age.
      entry.stamp = newer.stamp
      if !entry.isShared { entry.isChanged = true }
      return
    }
    guard let state = entry.state else { return }
    if scene.breaker.holds(ArchiveKey.object(entry.key)) {
      let reason = Unmet.object(entry.key, .quarantined("'\(entry.key)'"))
      refuse(entry, reason)
      entry.outcome = reason.outcome
      throw reason
    }
    do {
      let decoder = try RestorationDecoder(state, path: NodePath(unchecked: entry.key), self)
      try scene.breaker.watching(ArchiveKey.object(entry.key)) {
        try restorable.decodeRestorableState(with: decoder)
      }
      entry.unknown = try decoder.unknownKeys()
      giveAge(of: entry, to: restorable)
      screens.hasDecoded(restorable)
    } catch {
      let reason = Unmet.object(
        entry.key, .failed("the state of '\(entry.key)' could not be read: \(StateCodingError(error))"))
      refuse(entry, reason)
      entry.outcome = reason.outcome
      throw reason
    }
  }

  /// Records that an object is not available, so that its factory does not run for each of many nodes that need it.
  private func refuse(_ entry: ObjectEntry, _ reason: Unmet) {
    entry.resolution = .refused(reason)
    refused.append(entry)
  }

  /// Lets unavailable objects be requested again.
  ///
  /// - Returns: The keys that nodes wait for, and whose objects were made since.
  func reopen() -> [String] {
    for entry in refused { if case .refused = entry.resolution { entry.resolution = .open } }
    refused = []
    let keys = arrived
    arrived = []
    return keys
  }

  // MARK: Back references

  var hasBackReferences: Bool { !backReferences.isEmpty }

  func backReference<Object: AnyObject>(_ key: RestorationKey<Object>) -> BackReference<Object> {
    let reference = BackReference<Object>()
    backReferences.append { objects in reference.object = try? objects.value(of: key) }
    changes.onChange()
    return reference
  }

  func fillBackReferences() {
    let references = backReferences
    backReferences = []
    for fill in references { fill(self) }
  }
}

extension ObjectRegistry: ReferenceResolver {
  func screen(referredTo text: String) -> AnyObject? { screens.screen(referredTo: text) }
  func reference(to screen: any RestorableScreen) -> String? { screens.reference(to: screen) }
}
