import RepriseLog
import RepriseObjectModel

/// Entries waiting to be written. Its lock is held only while they are encoded.
struct JournalQueue: Sendable {
  /// The frame that takes the next entry.
  private(set) var frame: JournalFrame
  private let entryLimit: Int
  private(set) var refusals = JournalRefusals()
  /// Complete frames, waiting to be written.
  private var ended: [JournalFrame] = []
  var map: SchemaMap
  /// When the oldest entry of the frame was appended.
  var first: UInt64?
  /// When the oldest entry of the complete frames was appended.
  private var firstEnded: UInt64?
  /// The isolation of each open turn. An array of numbers, because its type exists when a process starts.
  private var turns: [Int] = []
  private var names = NameList()
  /// By the place of the draft's name.
  private var drafts: [Draft] = []
  /// Incremented at each attempt to begin a new file. Entries from `ownEpoch` on belong to the own file.
  private var epoch = 0
  private var ownEpoch = 0
  var isRunning = false
  var isClosed = false
  /// Called once, when the next entries are appended.
  var onNextAppend: [@Sendable () -> Void] = []
  /// Called with each failure.
  var onFailure: (@Sendable (JournalError) -> Void)?
  /// The last reported failure, until a write succeeds.
  var reported: JournalError?

  private struct Draft {
    /// Whether this process has begun or edited it, and not ended it.
    var isOpen = false
    /// The epoch of its last entry.
    var epoch = 0
    var texts = TextTrack()
  }

  init(map: SchemaMap, entryLimit: Int) {
    self.map = map
    self.entryLimit = entryLimit
    frame = JournalFrame(limit: entryLimit)
  }

  /// When the oldest waiting entry must be written.
  func due(_ options: JournalOptions) -> UInt64? {
    [firstEnded.map { $0 + options.aim }, first.map { $0 + (turns.isEmpty ? options.aim : options.turnLimit) }]
      .compactMap { $0 }.min()
  }

  /// Whether an open turn still holds the frame back.
  private func isHeld(_ options: JournalOptions) -> Bool {
    guard !turns.isEmpty, let first else { return false }
    return options.clock.now() < first + options.turnLimit
  }

  var isEmpty: Bool { frame.isEmpty && ended.isEmpty }

  /// The waiting frames, oldest first.
  var frames: [JournalFrame] { frame.isEmpty ? ended : ended + [frame] }

  private static func number(of isolation: (any Actor)?) -> Int {
    isolation.map { Int(bitPattern: ObjectIdentifier($0)) } ?? 0
  }

  mutating func openTurn(_ isolation: (any Actor)?) { turns.append(Self.number(of: isolation)) }

  /// Closes a turn. Returns whether no turn is open.
  mutating func closeTurn(_ isolation: (any Actor)?) -> Bool {
    let number = Self.number(of: isolation)
    if let place = turns.firstIndex(of: number) { turns.remove(at: place) }
    return turns.isEmpty
  }

  /// Whether a turn of another isolation is open.
  func hasTurn(besides isolation: (any Actor)?) -> Bool {
    let number = Self.number(of: isolation)
    return turns.contains { $0 != number || number == 0 }
  }

  /// Completes the frame. Later entries go into another.
  mutating func endFrame() {
    if !frame.isEmpty {
      ended.append(frame)
      frame = JournalFrame(limit: entryLimit)
    }
    firstEnded = firstEnded ?? first
    first = nil
  }

  /// Takes the waiting frames; `isHeld` if a turn holds some entries back.
  mutating func take(_ options: JournalOptions, cutsTurns: Bool) -> (frames: [JournalFrame], isHeld: Bool) {
    let isHeld = !cutsTurns && isHeld(options)
    if !isHeld { endFrame() }
    defer {
      ended = []
      firstEnded = nil
    }
    return (ended, isHeld)
  }

  /// Whether the own file has, or will have, an entry of the draft.
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

  /// Begins a new file's epoch: later entries must not refer to texts in the current file.
  mutating func beginEpoch() {
    epoch += 1
    for place in drafts.indices { drafts[place].texts.forget() }
  }

  /// The own file is now the new one.
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
