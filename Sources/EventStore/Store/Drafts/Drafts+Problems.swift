import RepriseJournal

extension Drafts {
  /// The journals, and the parts of journals, that this process could not read, one sentence each; usually empty.
  ///
  /// A journal has the unsaved edits and the screens of a process that ended, so these may be missing. Each sentence
  /// names the file, the cause and the next step. There are three causes:
  ///
  /// - The file is damaged. The rest of it was read.
  /// - The file cannot be opened, or the library does not trust it. The reason is that it is not a plain file, or that
  ///   another user of the operating system owns or may write it.
  /// - The file belongs to another store, or a newer version of the library wrote it.
  ///
  /// If other users may write a journal, ``all()`` lists its drafts as unreadable. In the other cases, the library does
  /// not know which drafts the file has, so ``all()`` does not list them.
  ///
  /// The library looks at the journals when the store is opened, and when ``all()`` is called. It also looks at them
  /// when a context takes up a draft, or a `Restoration` takes up a scene. After you have repaired a file, the next
  /// look reads it and drops its sentence. A sentence about damage stays until the store is closed. `draftProblems` of
  /// a context lists the losses of that context's draft.
  public var journalProblems: [String] {
    store.scenes.journal.problems.filter { if case .empty = $0 { false } else { true } }.map(\.description)
  }

  /// The sentences of ``journalProblems`` about files whose drafts are unknown.
  package var unreadJournals: [String] { store.scenes.journal.unread.map(\.description) }
}
