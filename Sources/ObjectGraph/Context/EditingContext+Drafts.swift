import RepriseEventStore
import RepriseObjectModel

/// What to do when a draft of the name asked for is there already, from this process or one that died.
public enum DraftAdoption: Hashable, Sendable {
  /// Take it up: its uncommitted changes are in the context again.
  case resume
  /// Discard it and begin anew.
  case replace
  /// Throw ``DraftError/present(_:)``.
  case fail
}

extension EditingContext {
  /// A context for editing on top of this one, whose uncommitted changes survive the process.
  ///
  /// They are in the store's journal within 250 ms of being made, together with the base values that they touched and
  /// the steps that undo takes back. After a relaunch, make the child under the same ID, and it is as it was; on
  /// another parent, what its edits rest on may differ, and ``conflicts()`` says where. Saving or
  /// discarding empties the draft; `Store.discardDraft(_:)` ends it; the end of the context does not. Asked again for
  /// an ID that is live under this parent, it returns that same child.
  ///
  /// A draft belongs to one context at a time, among all processes: it is free again when that context, or its process,
  /// has ended. Costs the draft's edits; one commit where another process that still lives wrote them.
  ///
  /// - Parameters:
  ///   - id: 1 to 4,096 bytes in its composed form (NFC), as ``draftID`` has it; in a tree of screens, the path.
  ///   - ifPresent: What to do with a draft of that ID that is there already.
  /// - Throws: ``DraftError``: the ID is in use by another live context, here or in another process; the parent is a
  ///   child without a draft; the draft cannot be read.
  public func makeChild(draft id: String, ifPresent: DraftAdoption = .resume) throws -> ChildContext {
    try child(withDraft: id, ifPresent)
  }

  /// As ``makeChild(draft:ifPresent:)``, typed.
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
    if self is ChildContext && draft == nil { throw .parentWithoutDraft(id) }
    let (recorder, image) = try takeDraft(id, parent: draftID, author: nil, ifPresent)
    let child = ChildContext(parent: self)
    child.begin(recorder, image)
    attach(child)
    return child
  }

  /// Claims a draft for a context of this process and finds what is there of it.
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
    draftLosses = image.problems.map(\.description)
    // After a power cut, of a store that does not flush each save, or in a store restored from an older copy.
    // Most often the context is no older; else it is behind by what whoever had the draft last saved.
    if image.header.base > position, let end = try? store.refreshedHead(), image.header.base > end {
      draftLosses.append(
        "The draft '\(image.header.id)' rests on saves up to \(image.header.base), and the log ends at \(end).")
    }
  }

  /// Keeps the journal from cutting a frame within this turn.
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
