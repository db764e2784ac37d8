extension RestorationReport: CustomStringConvertible {
  /// The number of restored nodes, one line for each other node, object and draft, and the next step.
  public var description: String {
    let back = entries.count(where: \.outcome.isBack)
    var lines: [String]
    switch start {
    case .fresh: lines = ["There is no archive of the scene, so the scene starts fresh."]
    case .refused:
      lines = [
        "`shouldRestore` returned false, so the scene starts without its archive. The first save sets the archive "
          + "aside, and `Restoration.refusedArchives(of:in:)` then lists it."
      ]
    case .quarantined:
      lines = [
        "The last four launches ended while they restored the archive, so it is set aside. See "
          + "`Restoration.refusedArchives(of:in:)` for the archive, and `recoverableDrafts()` for its edits."
      ]
    case .restored: lines = ["Restored \(back) of \(entries.count + unread) screens."]
    }
    let deferred = unread + entries.count { $0.outcome == .deferred }
    if deferred > 0 {
      lines.append(
        "\(deferred) \(deferred == 1 ? "screen" : "screens") that no visible screen needs "
          + "\(deferred == 1 ? "is" : "are") deferred until the program asks for \(deferred == 1 ? "it" : "them").")
    }
    let missing = entries.filter { !$0.outcome.isBack && $0.outcome != .deferred }
    for entry in missing { lines.append("\(entry.path): \(entry.outcome)") }
    if !missing.isEmpty {
      lines.append(
        "The archive keeps the states of these screens. `retry(at:)` tries a screen again, and `close(at:)` removes "
          + "it.")
    }
    for object in objects where !object.outcome.isBack { lines.append("The object '\(object.key)': \(object.outcome)") }
    for draft in orphanedDrafts {
      lines.append("The draft '\(draft)' has edits, but its screen was not restored. See `recoverableDrafts()`.")
    }
    for draft in conflictingDrafts {
      lines.append(
        "The draft '\(draft)' is based on edits of its parent context that no longer exist. Call `conflicts()` of the "
          + "draft's context before you save it.")
    }
    if !dropped.isEmpty {
      let paths = dropped.map(\.text).joined(separator: ", ")
      lines.append("These screens were removed by a retention policy or a migration of states: \(paths).")
    }
    return (lines + damage).joined(separator: "\n")
  }
}

extension RestorationReport.Outcome: CustomStringConvertible {
  /// The outcome, with its reason.
  public var description: String {
    switch self {
    case .restored: "restored"
    case .reused: "restored with an existing object"
    case .skipped(let reason): "skipped: \(reason)"
    case .unresolved(let reason): "unresolved: \(reason)"
    case .deferred: "deferred until the program asks for it"
    case .pending(let key): "waits for the late object '\(key)'"
    case .corrupt(let reason): "damaged: \(reason)"
    case .failed(let reason): "failed: \(reason)"
    case .quarantined(let reason): "quarantined: \(reason)"
    }
  }

  fileprivate var isBack: Bool { self == .restored || self == .reused }
}
