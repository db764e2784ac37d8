/// What changed owners within a handover.
struct Handover {
  /// Nodes opened at paths whose former nodes are still there.
  var nodes: [NodeEntry] = []
  fileprivate var objects: [String: FormerOwner] = [:]

  /// The former owner of a key leaves; false if it has none.
  mutating func left(_ key: String) -> Bool { objects.removeValue(forKey: key) != nil }
}

private struct FormerOwner {
  let registered: RegisteredValue?
  let restorable: (any RestorableScreen)?
  let site: RegistrationSite?
  let late: Task<Void, Never>?
  let bring: (@MainActor () -> Void)?
  let lateFailure: String?
  let resolution: ObjectEntry.Resolution
}

extension Restoration {
  /// Lets new owners take IDs over before the former ones leave: within `body` something may be registered under a key
  /// in use, and a node opened at a path in use. By its end the former owners must have been unregistered or closed.
  ///
  /// - Throws: what `body` throws, or ``RestorationError/unfinishedHandover(_:)`` if a former owner is still there.
  ///   Then the former owners have their IDs again, and nothing is written.
  public func handover<Result>(_ body: () throws -> Result) throws -> Result {
    guard handover == nil else { return try body() }
    handover = Handover()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try body()) } catch { result = .failure(error) }
    let open = handover ?? Handover()
    handover = nil
    let nodes = open.nodes.filter { $0.status == .live && $0.displaced?.status == .live }
    for entry in open.nodes where entry.displaced?.status == .closed { entry.displaced = nil }
    var left: [String] = []
    for entry in nodes {
      left.append(entry.path.text)
      withdraw(entry)
    }
    for (key, former) in open.objects {
      left.append(key)
      restore(former, of: key)
    }
    let value = try result.get()
    guard left.isEmpty else { throw RestorationError.unfinishedHandover(left.sorted()) }
    return value
  }

  /// Remembers the owner of a key, and makes room for another.
  func takeOver(_ entry: ObjectEntry) {
    // What the former owner has to say goes to the new one.
    if case .done = entry.resolution, entry.restorable != nil, entry.references > 0 {
      try? takeState(of: entry)
    }
    let former = FormerOwner(
      registered: entry.registered, restorable: entry.restorable, site: entry.site, late: entry.late,
      bring: entry.bring, lateFailure: entry.lateFailure, resolution: entry.resolution)
    if handover?.objects[entry.key] == nil { handover?.objects[entry.key] = former }
    entry.registered = nil
    entry.restorable = nil
    entry.late = nil
    entry.bring = nil
    entry.lateFailure = nil
    entry.resolution = .open
  }

  private func restore(_ former: FormerOwner, of key: String) {
    let entry = object(key)
    entry.registered = former.registered
    entry.restorable = former.restorable
    entry.site = former.site
    entry.late = former.late
    entry.bring = former.bring
    entry.lateFailure = former.lateFailure
    entry.resolution = former.resolution
  }
}
