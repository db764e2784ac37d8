import Foundation
import RepriseJournal
import RepriseTestSeeds
import XCTest

/// Notes of launches, whose scenes have slots in one file. Two journals in one process stand for two processes.
final class SceneNoteTests: JournalTestCase {
  func testAnotherScenesNoteIsRead() throws {
    for seed in testSeeds(6) {
      var random = SeededGenerator(seed: seed)
      let journals = [try open(), try open()]
      var notes: [Int: [UInt8]] = [:]
      // Thousands of scenes are in several segments.
      let scenes = [50, 800, 3_000].randomElement(using: &random) ?? 50
      for _ in 0..<scenes * 2 {
        let number = Int.random(in: 0..<scenes, using: &random)
        let note = try XCTUnwrap(journals.randomElement(using: &random)).note(of: .scene("\(seed) \(number)"))
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          note.remove()
          notes[number] = nil
        case 1...3: XCTAssertEqual(note.read(), notes[number], "seed \(seed), scene \(number)")
        default:
          let length = [0, 18, 103, 104, 105, 400].randomElement(using: &random) ?? 0
          let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
          XCTAssertTrue(note.write(bytes), "seed \(seed)")
          notes[number] = bytes
        }
      }
      for number in 0..<scenes {
        let note = SceneNote.launch(of: "\(seed) \(number)", at: directory)
        XCTAssertEqual(note.read(), notes[number], "seed \(seed), scene \(number)")
      }
    }
  }

  func testANoteKeepsItsFormerLength() throws {
    let note = try open().note(of: .scene("a"))
    for length in [3, 300, 2, 104, 105, 0] {
      let bytes = [UInt8](repeating: UInt8(length % 256), count: length)
      XCTAssertTrue(note.write(bytes))
      XCTAssertEqual(note.read(), bytes)
      XCTAssertEqual(SceneNote.launch(of: "a", at: directory).read(), bytes)
    }
    note.remove()
    XCTAssertNil(note.read())
  }

  func testTwoProcessesGiveOneSlotToTwoScenes() async throws {
    let journals = [try open(), try open(), try open()]
    await withTaskGroup(of: Void.self) { group in
      for (place, journal) in journals.enumerated() {
        group.addTask {
          for number in 0..<300 {
            journal.note(of: .scene("\(place) \(number)")).write([UInt8(place), UInt8(number & 255)])
          }
        }
      }
    }
    for place in journals.indices {
      for number in 0..<300 {
        let note = SceneNote.launch(of: "\(place) \(number)", at: directory)
        XCTAssertEqual(note.read(), [UInt8(place), UInt8(number & 255)], "\(place) \(number)")
      }
    }
  }

  func testEachSceneNeedsADescriptorAndAFile() throws {
    let journal = try open()
    let notes = (0..<500).map { journal.note(of: .scene("\($0)")) }
    XCTAssertTrue(notes[0].write([1]))
    let before = descriptors()
    for note in notes { XCTAssertTrue(note.write([1])) }
    XCTAssertEqual(descriptors(), before)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["launches-\(geteuid())"])
  }

  private func descriptors() -> Int { (0..<4_096).count { fcntl($0, F_GETFD) >= 0 } }
}
