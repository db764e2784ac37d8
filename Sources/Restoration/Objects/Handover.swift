/// What changed owners within a handover.
struct Handover {
  /// What happened to nodes, in that order.
  var steps: [Step] = []
  /// The nodes that others showed in front before theirs changed, by the one above.
  var shown: [ObjectIdentifier: Shown] = [:]
  fileprivate var objects: [String: FormerOwner] = [:]

  enum Step {
    case opened(NodeEntry)
    case moved(NodeMove)
  }

  struct Shown {
    let above: NodeEntry
    let children: [(id: String, entry: NodeEntry?)]
  }

  /// The former owner of a key leaves; false if it has none.
  @MainActor mutating func left(_ key: String) -> Bool {
    guard let former = objects.removeValue(forKey: key) else { return false }
    former.late?.cancel()
    return true
  }
}

private struct FormerOwner {
  let registered: RegisteredValue?
  let isPlaceholder: Bool
  let restorable: (any RestorableScreen)?
  let site: RegistrationSite?
  let late: LateArrival?
  let bring: (@MainActor () -> Void)?
  let lateFailure: String?
  let resolution: ObjectEntry.Resolution
}

extension ObjectRegistry {
  /// Remembers the owner of a key, and makes room for another.
  func takeOver(_ entry: ObjectEntry) {
    // The former owner's state goes to the new one.
    if case .done = entry.resolution, entry.restorable != nil, entry.references > 0 {
      try? takeState(of: entry)
    }
    let former = FormerOwner(
      registered: entry.registered, isPlaceholder: entry.isPlaceholder, restorable: entry.restorable, site: entry.site,
      late: entry.late, bring: entry.bring, lateFailure: entry.lateFailure, resolution: entry.resolution)
    if handover?.objects[entry.key] == nil { handover?.objects[entry.key] = former }
    entry.registered = nil
    entry.restorable = nil
    entry.late = nil
    entry.bring = nil
    entry.lateFailure = nil
    entry.resolution = .open
  }

  /// Gives keys back to former owners that did not leave.
  ///
  /// - Returns: Those keys.
  func giveBack(_ handover: Handover) -> [String] {
    for (key, former) in handover.objects { restore(former, of: key) }
    return Array(handover.objects.keys)
  }

  private func restore(_ former: FormerOwner, of key: String) {
    let entry = entry(key)
    entry.registered = former.registered
    entry.isPlaceholder = former.isPlaceholder
    entry.restorable = former.restorable
    entry.site = former.site
    entry.late = former.late
    entry.bring = former.bring
    entry.lateFailure = former.lateFailure
    entry.resolution = former.resolution
  }
}
