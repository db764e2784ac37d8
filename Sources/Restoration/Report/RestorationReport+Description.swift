extension RestorationReport: CustomStringConvertible {
  /// How many nodes were restored, followed by one line for each problem.
  public var description: String {
    let back = entries.count(where: \.outcome.isBack)
    var lines: [String]
    switch start {
    case .fresh: lines = ["No archive: a fresh start."]
    case .refused: lines = ["The archive was refused; it is set aside at the first save."]
    case .quarantined: lines = ["The archive ended one launch after the other; it is set aside."]
    case .restored: lines = ["Restored \(back) of \(entries.count + unread) nodes."]
    }
    let deferred = unread + entries.count { $0.outcome == .deferred }
    if deferred > 0 { lines.append("\(deferred) nodes that nothing visible needs are made when somebody asks.") }
    for entry in entries where !entry.outcome.isBack && entry.outcome != .deferred {
      lines.append("\(entry.path): \(entry.outcome)")
    }
    for object in objects where !object.outcome.isBack { lines.append("'\(object.key)': \(object.outcome)") }
    for draft in orphanedDrafts { lines.append("The draft '\(draft)' has edits, and no node: see store.drafts.") }
    for draft in conflictingDrafts {
      lines.append(
        "The draft '\(draft)' is based on edits that are lost. Compare it with what you remember before you save it.")
    }
    if !dropped.isEmpty {
      lines.append("Dropped, not restored for too long: \(dropped.map(\.text).joined(separator: ", ")).")
    }
    return (lines + damage).joined(separator: "\n")
  }
}

extension RestorationReport.Outcome: CustomStringConvertible {
  /// The outcome, with its reason.
  public var description: String {
    switch self {
    case .restored: "restored"
    case .reused: "restored, as what was there before"
    case .skipped(let reason): "skipped: \(reason)"
    case .unresolved(let what): "unresolved: \(what)"
    case .deferred: "made when somebody asks"
    case .pending(let key): "waits for '\(key)'"
    case .corrupt(let reason): "damaged: \(reason)"
    case .failed(let reason): "failed: \(reason)"
    case .quarantined(let reason): "quarantined: \(reason)"
    }
  }

  fileprivate var isBack: Bool { self == .restored || self == .reused }
}
