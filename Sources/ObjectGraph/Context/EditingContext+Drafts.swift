import RepriseEventStore
import RepriseObjectModel

/// The reaction to an existing draft with the requested ID, left by this process or by one that ended.
public enum ExistingDraftPolicy: Hashable, Sendable {
  /// Resume the draft: the context has its uncommitted changes again.
  case resume
  /// Discard the draft and start with an empty one.
  case replace
  /// Throw ``DraftError/present(_:)``.
  case fail
}

extension EditingContext {
  /// Makes a child context whose uncommitted changes survive the process.
  ///
  /// Edits, with their old values and undo steps, reach the store's journal within 250 ms. After a relaunch, make the
  /// child again with the same ID, and it has the same edits and undo steps. On a different parent, the edits may
  /// conflict, as ``conflicts()`` reports. Saving or discarding empties the draft, and `Drafts.discard(_:)` ends
  /// it. Releasing the context keeps the draft.
  ///
  /// If a child with this ID is live under this parent, `makeChild` follows `ifPresent`: `resume` returns that child,
  /// `replace` discards its changes and returns it, and `fail` throws.
  ///
  /// One context in all processes can use a draft at a time, until that context or its process ends. If another one
  /// holds the draft, `makeChild` throws `DraftError.inUse`.
  ///
  /// Reads at most 1,000 of the draft's edits, plus the edits that the journal has not yet moved into the store, about
  /// a megabyte. Older edits are read with the objects that they change. A fetch of those models, an undo, a save or a
  /// discard reads them all. If another living process wrote some of the edits, `makeChild` also costs one commit.
  ///
  /// - Parameters:
  ///   - id: The draft's ID, 1 to 4,096 bytes of UTF-8 in composed form (NFC), like ``draftID``. In a tree of screens
  ///     it is the path.
  ///   - ifPresent: The reaction to an existing draft with that ID.
  /// - Throws: ``DraftError`` if another live context or process uses the ID, or if the ID is too short or too long.
  ///   Also if the parent is a child without a draft, or if the draft cannot be read.
  public func makeChild(draft id: String, ifPresent: ExistingDraftPolicy = .resume) throws -> ChildContext {
    try child(withDraft: id, ifPresent)
  }

  /// ``makeChild(draft:ifPresent:)`` with typed throws.
  package func child(withDraft id: String, _ ifPresent: ExistingDraftPolicy) throws(DraftError) -> ChildContext {
    if let live = liveChild(withDraft: id) {
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
    _ id: String, parent: String?, author: String?, _ ifPresent: ExistingDraftPolicy
  ) throws(DraftError) -> (DraftRecorder, DraftImage?) {
    let id = ComposedText.composed(id)
    guard (1...4096).contains(id.utf8.count) else { throw .invalidID(id) }
    let topic = JournalTopic.draft(id)
    guard try store.drafts.claim(topic) else { throw .inUse(id) }
    do throws(DraftError) {
      var image: DraftImage?
      if ifPresent == .replace { try store.drafts.end(topic) } else { image = try store.drafts.image(of: topic) }
      if image != nil && ifPresent == .fail { throw .present(id) }
      let header = DraftHeader(
        id: id, parent: parent, author: author, base: position, baseHash: store.drafts.baseHash(at: position))
      return (DraftRecorder(topic, header, isBegun: image != nil, journal: store.journal), image)
    } catch {
      store.drafts.release(topic)
      throw error
    }
  }

  func begin(_ recorder: DraftRecorder, _ image: DraftImage?) {
    draft = recorder
    guard let image else { return }
    overlay = Overlay(image)
    problemsAtFirst = image.problems.map(\.description)
    unread = image.unread
  }

  /// Keeps the journal from ending a frame within this turn.
  func holdTurn() {
    guard let isolation = turn.isolation, !isTurnHeld else { return }
    isTurnHeld = true
    let journal = store.journal
    journal.openTurn(in: isolation)
    turn.end(self, orElse: { journal.closeTurn(in: isolation) }) { context in
      context.isTurnHeld = false
      journal.closeTurn(in: isolation)
    }
  }
}
