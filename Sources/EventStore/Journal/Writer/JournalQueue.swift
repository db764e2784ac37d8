import RepriseObjectModel

/// Entries that wait for their frame. Held under a lock for as long as it takes to encode them.
struct JournalQueue: Sendable {
  /// What the next entry goes into.
  private(set) var frame: JournalFrame
  private let entryLimit: Int
  private(set) var refusals = JournalRefusals()
  /// Frames that wait to be written, and no longer for entries.
  private var ended: [JournalFrame] = []
  var map: SchemaMap
  /// When the oldest entry in the frame came.
  var first: UInt64?
  /// When the oldest entry in the frames that ended came.
  private var firstEnded: UInt64?
  var openTurns = 0
  private var names = NameList()
  /// By the place of the name.
  private var drafts: [Draft] = []
  /// Grows with each attempt to begin a new file; entries from `ownEpoch` on are for the own file.
  private var epoch = 0
  private var ownEpoch = 0
  var isRunning = false
  var isClosed = false

  private struct Draft {
    /// Begun or edited by this process, and not ended.
    var isOpen = false
    /// When its last entry came.
    var epoch = 0
    var texts = TextTrack()
  }

  init(map: SchemaMap, entryLimit: Int) {
    self.map = map
    self.entryLimit = entryLimit
    frame = JournalFrame(limit: entryLimit)
  }

  /// When something must be written, if nothing is in the way.
  func due(_ options: JournalOptions) -> UInt64? {
    [firstEnded.map { $0 + options.aim }, first.map { $0 + (openTurns > 0 ? options.turnLimit : options.aim) }]
      .compactMap { $0 }.min()
  }

  /// Whether a turn still holds back what waits.
  private func isHeld(_ options: JournalOptions) -> Bool {
    guard openTurns > 0, let first else { return false }
    return options.clock.now() < first + options.turnLimit
  }

  var isEmpty: Bool { frame.isEmpty && ended.isEmpty }

  /// What waits, oldest first.
  var frames: [JournalFrame] { frame.isEmpty ? ended : ended + [frame] }

  /// From now on entries go into another frame.
  mutating func endFrame() {
    if !frame.isEmpty {
      ended.append(frame)
      frame = JournalFrame(limit: entryLimit)
    }
    firstEnded = firstEnded ?? first
    first = nil
  }

  /// Takes what waits to be written; `isHeld` if a turn keeps some of it.
  mutating func take(_ options: JournalOptions, cutsTurns: Bool) -> (frames: [JournalFrame], isHeld: Bool) {
    let isHeld = !cutsTurns && isHeld(options)
    if !isHeld { endFrame() }
    defer {
      ended = []
      firstEnded = nil
    }
    return (ended, isHeld)
  }

  /// Whether an entry of it is in the own file, or on its way there.
  func isRecorded(_ draft: String) -> Bool {
    names.place(of: draft).map { drafts[$0].epoch >= ownEpoch } ?? false
  }

  private mutating func place(of draft: String) -> Int {
    let place = names.add(draft)
    if place == drafts.count { drafts.append(Draft()) }
    return place
  }

  mutating func append(_ entry: JournalEntry) throws(JournalError) {
    if frame.isFull { endFrame() }
    do throws(JournalError) {
      try record(entry)
      refusals.settle(entry)
    } catch {
      refusals.add(error, entry)
      throw error
    }
  }

  private mutating func record(_ entry: JournalEntry) throws(JournalError) {
    guard let id = entry.draft else {
      var unused = TextTrack()
      return try frame.append(entry, map, &unused)
    }
    let place = place(of: id)
    drafts[place].epoch = epoch
    switch entry {
    case .draftBegan, .draftEdited: drafts[place].isOpen = true
    case .draftEnded: drafts[place].isOpen = false
    default: break
    }
    try frame.append(entry, map, &drafts[place].texts)
  }

  /// What comes from now on is for a new file, and must not rest on texts in this one.
  mutating func beginEpoch() {
    epoch += 1
    for place in drafts.indices { drafts[place].texts.forget() }
  }

  /// The own file is the new one.
  mutating func didRotate() {
    ownEpoch = epoch
    let (before, known) = (names, drafts)
    names.removeAll()
    drafts.removeAll()
    for (place, draft) in known.enumerated() where draft.isOpen || draft.epoch >= ownEpoch {
      _ = names.add(before[place])
      drafts.append(draft)
    }
  }
}
