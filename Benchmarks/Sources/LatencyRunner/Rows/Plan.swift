/// Which rows there are, and how often each is sampled.
struct Plan: Sendable {
  enum Profile: String, Codable, Sendable {
    case full
    /// Within minutes, stores included: without the largest sizes, with fewer samples.
    case quick
  }

  let profile: Profile

  /// Last the row that empties the memory that the others count on.
  var rows: [Row] {
    let usual = startRows + storeRows + indexRows + valueRows + queryRows + listRows
    return usual + restorationRows + graphRows + historyRows + [droppedRow]
  }

  var isQuick: Bool { profile == .quick }

  private var sizes: [(String, Int)] {
    [("10k", 10_000), ("100k", 100_000)] + (isQuick ? [] : [("1M", 1_000_000)])
  }

  private var largest: [(String, Int)] { isQuick ? [] : [("10M", 10_000_000)] }

  private var startRows: [Row] {
    sizes.map { name, count in
      Row(
        name: "restore.cold.\(name)", unit: .microseconds,
        meaning: "start of the process to restored, \(name) objects, dynamic linking",
        work: .start(StoreShape(objects: count), .dynamic))
    }
      + sizes.map { name, count in
        Row(
          name: "restore.cold.\(name).static", unit: .microseconds,
          meaning: "start of the process to restored, \(name) objects, static linking",
          work: .start(StoreShape(objects: count), .static))
      }
      + (sizes + largest).map { name, count in
        Row(
          name: "restore.log.\(name)", unit: .microseconds,
          meaning: "start of the process to restored, 10k objects, a log of \(name) events, dynamic linking",
          work: .start(StoreShape(objects: 10_000, events: count), .dynamic))
      }
  }

  /// What a store costs otherwise.
  private var storeRows: [Row] {
    let hundredThousand = StoreShape(objects: 100_000)
    let large = StoreShape(objects: isQuick ? 100_000 : 1_000_000)
    let loaded = isQuick ? 50_000 : 100_000
    return [
      Row(
        name: "restore.inside.100k", unit: .microseconds,
        meaning: "open, restore, close within one process, 100k objects",
        work: .inside(hundredThousand, command: "inside", label: "restore", changes: true)),
      Row(
        name: "read.byID", unit: .microseconds, meaning: "one object by its ID, at random, with all its attributes",
        work: .inside(hundredThousand, command: "read", label: "read", changes: false)),
      Row(
        name: "save.one", unit: .microseconds, meaning: "one attribute saved durably",
        work: .inside(large, command: "save", label: "save", changes: true)),
      Row(
        name: "save.page", unit: .microseconds, meaning: "a page appended to a file, which is flushed",
        work: .inside(large, command: "save-page", label: "save", changes: true)),
      Row(
        name: "save.one.bytes", unit: .bytes, meaning: "bytes written to save one attribute",
        work: .traced(large, .bytes)),
      Row(
        name: "save.one.flushes", unit: .count, meaning: "flushes to save one attribute",
        work: .traced(large, .flushes)),
      Row(
        name: "save.eight", unit: .perSecond, meaning: "durable saves of eight contexts at once",
        work: .rate(large, command: "save-eight", label: "saves", arguments: ["contexts=8"])),
      Row(
        name: "save.worst", unit: .microseconds,
        meaning: "the longest durable save of eight contexts at once, in \(roundsInside(of: "save-worst")) seconds",
        work: .inside(large, command: "save-worst", label: "save", changes: true)),
      Row(
        name: "load.1000", unit: .perSecond, meaning: "objects loaded with history and two indexes, 1,000 a save",
        work: load(loaded, batch: 1_000)),
      Row(
        name: "load.10000", unit: .perSecond, meaning: "objects loaded with history and two indexes, 10,000 a save",
        work: load(loaded, batch: 10_000)),
      Row(
        name: "discard.1000", unit: .microseconds, meaning: "discarding 1,000 edits, without the time for making them",
        work: .inside(hundredThousand, command: "discard", label: "discard", changes: true)),
    ]
      + (sizes.dropFirst() + largest).map { name, count in
        Row(
          name: "rank.\(name)", unit: .microseconds, meaning: "place of an object in the date order of \(name)",
          work: .inside(StoreShape(objects: count), command: "rank", label: "rank", changes: false))
      }
      + [
        Row(
          name: "rebuild", unit: .perSecond, meaning: "events from the log into a new head",
          work: .rate(large, command: "rebuild", label: "events", arguments: [])),
        Row(
          name: "store.bytesPerObject", unit: .bytes, meaning: "an object with its two indexes, without the log",
          work: .size(hundredThousand, command: "sizes", label: "bytes", per: "objects")),
        Row(
          name: "log.bytesPerKeystroke", unit: .bytes,
          meaning: "bytes that one keystroke in a text of 100 KB adds to the log",
          work: .size(StoreShape(objects: 10_000), command: "keystroke", label: "bytes", per: nil)),
      ]
  }

  private func load(_ objects: Int, batch: Int) -> Work {
    .made(command: "load", label: "objects", arguments: ["objects=\(objects)", "batch=\(batch)"])
  }

  /// What a new index costs those who save meanwhile.
  private var indexRows: [Row] {
    if isQuick { return [] }
    let tasks = StoreShape(objects: 1_000_000, content: .tasks)
    return [
      Row(
        name: "index.build.1M", unit: .microseconds,
        meaning: "one attribute saved durably while an index is built over 1M objects",
        work: .inside(tasks, command: "index-build", label: "save", changes: true, freshly: true)),
      Row(
        name: "index.build.1M.rate", unit: .perSecond, meaning: "objects that it is built over, beside these saves",
        work: .rate(tasks, command: "index-build", label: "objects", arguments: [], freshly: true)),
    ]
  }

  /// A large value of 105 MB, durable.
  private var valueRows: [Row] {
    [
      Row(
        name: "value.large", unit: .perSecond, meaning: "bytes of a value of 100 MB, by stream into the store",
        work: .made(command: "value-in", label: "bytes", arguments: [])),
      Row(
        name: "value.large.out", unit: .perSecond, meaning: "bytes of it by stream out of the store",
        work: .made(command: "value-out", label: "bytes", arguments: [])),
      Row(
        name: "value.large.file", unit: .perSecond, meaning: "the same bytes into a file, which is flushed",
        work: .made(command: "value-file", label: "bytes", arguments: [])),
    ]
  }

  private var droppedRow: Row {
    Row(
      name: "restore.dropped.100k", unit: .microseconds,
      meaning: "start of the process to restored, 100k objects, page cache dropped",
      work: .dropped(StoreShape(objects: 100_000)))
  }

  /// How often the work is done; of an `inside` row, in so many processes.
  func rounds(of work: Work) -> Int {
    let (full, quick) =
      switch work {
      case .start: (150, 15)
      case .dropped: (15, 5)
      case .inside, .asked: (10, 3)
      case .rate: (5, 3)
      case .made: (3, 2)
      case .traced: (3, 1)
      case .size: (1, 1)
      }
    return profile == .quick ? quick : full
  }

  /// How many samples a worker takes in one process.
  func roundsInside(of command: String) -> Int {
    let (full, quick) =
      switch command {
      case "read": (1_000, 200)
      // A peer that counts rows needs a tenth of a second for each at 10 million.
      case "rank": (50, 50)
      case "inside": (50, 10)
      case "discard": (20, 5)
      // Seconds: long enough for checkpoints of SQLite's log.
      case "save-worst": (6, 2)
      default: (200, 50)
      }
    return profile == .quick ? quick : full
  }

  /// The same for a question.
  func roundsInside(of question: Question) -> Int {
    let (full, quick) =
      switch question.samples {
      case .fast: (100, 20)
      case .slow: (20, 5)
      case .slowest: (5, 2)
      }
    return profile == .quick ? quick : full
  }
}
