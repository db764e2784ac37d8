import RepriseEventStore
import RepriseObjectModel

/// What to do if a draft with the requested ID already exists, from this process or one that died.
public enum DraftAdoption: Hashable, Sendable {
  /// Resume it: its uncommitted changes are in the context again.
  case resume
  /// Discard it and start over.
  case replace
  /// Throw ``DraftError/present(_:)``.
  case fail
}

extension EditingContext {
  /// Makes a context on top of this one whose uncommitted changes survive the process.
  ///
  /// They reach the store's journal within 250 ms, together with the old values and the undo steps. After a relaunch,
  /// make the child again with the same ID, and it is as it was; on another parent, its edits may be in conflict, as
  /// ``conflicts()`` reports. Saving or discarding empties the draft; `Store.discardDraft(_:)` ends it; releasing the
  /// context does not. If a child with this ID is live under this parent, it returns that child.
  ///
  /// A draft belongs to one context at a time, across all processes, until that context or its process ends. Costs up
  /// to 1,000 of the draft's edits, and those that the journal has not moved into the store yet, about a megabyte at
  /// most; the others are read with the objects that they change, and as a whole by a fetch of such objects, an undo, a
  /// save or a discard. Costs one commit if another living process wrote them.
  ///
  /// - Parameters:
  ///   - id: 1 to 4,096 bytes in composed form (NFC), like ``draftID``; in a tree of screens, the path.
  ///   - ifPresent: What to do if a draft with that ID already exists.
  /// - Throws: ``DraftError``: another live context uses the ID, here or in another process; the parent is a child
  ///   without a draft; or the draft cannot be read.
  public func makeChild(draft id: String, ifPresent: DraftAdoption = .resume) throws -> ChildContext {
    try child(withDraft: id, ifPresent)
  }

  /// ``makeChild(draft:ifPresent:)`` with typed throws.
  package func child(withDraft id: String, _ ifPresent: DraftAdoption) throws(DraftError) -> ChildContext {
    if let live = liveChildren.first(where: { $0.draftID == id }) {
      switch ifPresent {
      case .resume: return live
      case .fail: throw .present(id)
      case .replace:
        live.discard()
        return live
      }
    }
    beginOnceOpen()
    if self is ChildContext && draft == nil { throw .parentWithoutDraft(id) }
    let (recorder, image) = try takeDraft(id, parent: draftID, author: nil, ifPresent)
    let child = ChildContext(parent: self)
    child.begin(recorder, image)
    attach(child)
    return child
  }

  /// Claims a draft for a context of this process, and recovers its edits.
  func takeDraft(
    _ id: String, parent: String?, author: String?, _ ifPresent: DraftAdoption
  ) throws(DraftError) -> (DraftRecorder, DraftImage?) {
    let id = ComposedText.composed(id)
    guard (1...4096).contains(id.utf8.count) else { throw .invalidID(id) }
    guard try store.claimDraft(id) else { throw .inUse(id) }
    do throws(DraftError) {
      var image: DraftImage?
      if ifPresent == .replace { try store.endDraft(id) } else { image = try store.draft(id) }
      if image != nil && ifPresent == .fail { throw .present(id) }
      let header = DraftHeader(id: id, parent: parent, author: author, base: position)
      return (DraftRecorder(header, isBegun: image != nil, journal: store.journal), image)
    } catch {
      store.releaseDraft(id)
      throw error
    }
  }

  func begin(_ recorder: DraftRecorder, _ image: DraftImage?) {
    draft = recorder
    guard let image else { return }
    overlay = Overlay(image)
    lossesAtFirst = image.problems.map(\.description)
    unread = image.unread
    // The base can be beyond the end of the log after a power cut with relaxed durability, or in a store restored from
    // an older copy. If it is only beyond this context's position, the draft's last owner saved after it.
    if image.header.base > position, let end = try? store.refreshedHead(), image.header.base > end {
      lossesAtFirst.append(
        "The draft '\(image.header.id)' rests on saves up to \(image.header.base), and the log ends at \(end).")
    }
  }

  /// Keeps the journal from ending a frame within this turn.
  func holdTurn() {
    guard turn.isolation != nil, !isTurnHeld else { return }
    isTurnHeld = true
    store.journal.openTurn()
    let journal = store.journal
    turn.end(self, orElse: { journal.closeTurn() }) { context in
      context.isTurnHeld = false
      journal.closeTurn()
    }
  }
}
