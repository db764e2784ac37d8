import Foundation
import RepriseTestSeeds
import XCTest

/// What a power cut may take: everything that was changed and not flushed.
final class PowerCutTests: CrashTestCase {
  func testTheNamesOfANewStoresFilesAreFlushedBeforeItIsOpen() throws {
    #if os(Linux)
    let said = try play("make durably")
    XCTAssertGreaterThan(said.last?.number(after: "changes") ?? 0, 10)
    #endif
  }

  func testASalvagedStoreIsFlushedWithItsNamesAndJournalsBeforeItIsOne() throws {
    #if os(Linux)
    let said = try play("make durably", ["from": folder + "/old"])
    XCTAssertGreaterThan(said.last?.number(after: "changes") ?? 0, 10)
    #endif
  }

  func testNoPowerCutTakesWhatWasSavedOrFlushedOrLeavesAStateThatNeverWas() throws {
    for problem in try cut() { XCTFail(problem) }
  }

  /// As Linux does it: the flush fails, and the next one succeeds without what it should have written.
  func testAFlushThatFailsOnceLosesNothingThatIsToldLaterWhateverTheSystemForgets() throws {
    #if os(Linux)
    _ = try failFlushes(times: 1)
    #endif
  }

  /// The flush of a commit fails, and the flush that would withdraw its after-image.
  func testAnUnknownOutcomeIsSettledForGood() throws {
    #if os(Linux)
    let said = try failFlushes(times: 2)
    XCTAssertGreaterThan(said.number(after: "answers"), 3, said)
    #endif
  }

  private func failFlushes(times: Int) throws -> String {
    let values: KeyValuePairs = ["times": "\(times)", "images": "3", "seed": "\(Self.seed)"]
    let said = try play("fail flushes", values).last ?? ""
    XCTAssertGreaterThan(said.number(after: "flushes"), 15, said)
    XCTAssertEqual(said.number(after: "kept"), said.number(after: "images"), said)
    return said
  }

  func testTypingThatIsCalledFlushedTooEarlyIsFoundOut() throws {
    XCTAssertFalse(try cut(canary: "draft").isEmpty)
  }

  func testAScreenThatIsCalledFlushedTooEarlyIsFoundOut() throws {
    XCTAssertFalse(try cut(canary: "screen").isEmpty)
  }

  func testASaveThatIsAcknowledgedTooEarlyIsFoundOut() throws {
    XCTAssertFalse(try cut(canary: "early").isEmpty)
  }

  // MARK: -

  /// Returns the problems of so many images. They are of recordings of several lives of a program, which types, saves,
  /// checkpoints and learns of other schemas, while other programs open and close the store.
  private func cut(canary: String = "") throws -> [String] {
    #if os(Linux)
    var images = Self.images
    // A planted fault shows in most recordings, and in some that a busy machine makes it does not.
    if !canary.isEmpty { images = 1_000 }
    var random = SeededGenerator(seed: Self.seed)
    var found: [String] = []
    while images > 0, canary.isEmpty || found.isEmpty {
      // A recording shows what happened to happen in it: rather many than long ones.
      let some = min(images, 100)
      images -= some
      let place = "\(folder)/\(canary)\(images)"
      let seed = Int.random(in: 0...Int.max, using: &random)
      let recording = try record(place, canary, &random)
      try open(recording, some, seed, &found)
      try FileManager.default.removeItem(atPath: place)
    }
    return found
    #else
    throw XCTSkip("nothing stands between the program and the system here")
    #endif
  }

  private func record(
    _ place: String, _ canary: String, _ random: inout SeededGenerator
  ) throws -> String {
    try FileManager.default.createDirectory(atPath: place + "/worked", withIntermediateDirectories: true)
    let recording = place + "/recording"
    let store = place + "/worked/store"
    for life in 0..<4 {
      let saver = try Child(
        "save", store,
        [
          "recording": recording, "canary": canary, "from": "\(1 + life * 10_000)", "extras": "\(life)",
          "screens": "yes",
          "steps": "\(Int.random(in: 10...60, using: &random))",
          "seed": "\(Int.random(in: 0...Int.max, using: &random))",
        ])
      var said: [String] = []
      for _ in 0..<(life > 0 ? 2 : 0) {
        let deadline = Date(timeIntervalSinceNow: .random(in: 0...0.1, using: &random))
        while let line = saver.line(until: deadline) { said.append(line) }
        let visitor = try Child(
          "visit", store,
          [
            "recording": recording, "microseconds": "\(Int.random(in: 0...20_000, using: &random))",
            "closes": Bool.random(using: &random) ? "yes" : "no",
          ])
        XCTAssertEqual(visitor.lines(), [], "seed \(Self.seed)")
      }
      for line in said + saver.lines() where line.hasPrefix("problem") { XCTFail("\(line); seed \(Self.seed)") }
      XCTAssertEqual(saver.end(), .exited(0), "seed \(Self.seed)")
    }
    return recording
  }

  private func open(
    _ recording: String, _ images: Int, _ seed: Int, _ found: inout [String]
  ) throws {
    let child = try Child(
      "cut power", recording + "-image",
      [
        "of": recording, "worked": recording.replacingOccurrences(of: "/recording", with: "/worked"),
        "images": "\(images)", "seed": "\(seed)", "extras": "3",
      ])
    var promises = [Promises()]
    var image = ""
    for line in child.lines() {
      if line.hasPrefix("said ") {
        promises.append(promises[promises.count - 1])
        promises[promises.count - 1].hear(String(line.dropFirst(5)))
      } else if line.hasPrefix("image ") {
        image = line
      } else if line.hasPrefix("found ") {
        found += promises[image.number(after: "after")].problems(line).map { "\($0); \(image)" }
      } else if line.hasPrefix("problem ") {
        found.append("\(line); \(image)")
      }
    }
    XCTAssertEqual(child.end(), .exited(0), image)
  }
}

/// What may be found after a power cut, of the log, the desk, the sheet and the screen. See `Saver` for the words.
private struct Promises {
  typealias States = [String: [String]]

  private var possible: States = ["log": ["0,0,0,0"], "desk": ["0,0"], "sheet": ["0"], "screen": ["0"]]

  /// Without the position, which a new schema moves on.
  private static func state(_ text: String) -> String { String(text.prefix { $0 != "@" }) }

  mutating func hear(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard let word = words.first, word == "may" || word == "is" else { return }
    let states = words.dropFirst().map { $0.split(separator: "=").map(String.init) }
    if word == "is" { for state in states { possible[state[0]] = [] } }
    for state in states { possible[state[0]]?.append(Self.state(state[1])) }
    // What another life of the program found may not be flushed.
  }

  func problems(_ found: String) -> [String] {
    found.split(separator: " ").dropFirst().compactMap { word in
      let parts = word.split(separator: "=").map(String.init)
      let states = possible[parts[0]] ?? []
      if states.contains(Self.state(parts[1])) || states.contains("*") { return nil }
      return "\(word), and only \(Set(states).sorted().joined(separator: " or ")) may be found"
    }
  }
}
