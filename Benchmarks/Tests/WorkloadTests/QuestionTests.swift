import Workload
import XCTest

/// What all peers are asked: that the questions are what the rows' descriptions say.
final class QuestionTests: XCTestCase {
  private let items = (0..<100_000).map { ItemFacts(number: $0) }

  func testAsManyItemsMatchAsTheRowsSay() {
    XCTAssertEqual(items.count { $0.value > Questions.half }, 50_000, accuracy: 1_000)
    XCTAssertEqual(items.count { $0.value > Questions.onePercent }, 1_000, accuracy: 150)
    XCTAssertGreaterThan(items.count { $0.name.hasPrefix(Questions.prefix) }, 2_000)
    let either = items.count {
      Questions.unionDates.contains($0.ticks) || $0.name.hasPrefix(Questions.unionPrefix)
    }
    XCTAssertEqual(either, 650, accuracy: 100)
  }

  func testCountedRangesDifferAndLieAmongTheDates() {
    let counts = (0..<100).map { sample in
      let range = Questions.countedDates(sample)
      return items.count { range.contains($0.ticks) }
    }
    XCTAssertGreaterThan(Set(counts).count, 90)
    XCTAssertEqual(counts.reduce(0, +) / 100, 25_000, accuracy: 5_000)
  }

  func testAHundredNamesAreOfAHundredItems() {
    let names = Questions.names(of: items.count)
    XCTAssertEqual(Set(names).count, 100)
    XCTAssertTrue(Set(names).isSubset(of: Set(items.map(\.name))))
  }

  func testNoItemIsEditedTwiceAndTheEditsOfTwoRoundsDiffer() {
    let first = (0..<10_000).map { Questions.edited($0, seed: 1, of: items.count) }
    let second = (0..<10_000).map { Questions.edited($0, seed: 2, of: items.count) }
    XCTAssertEqual(Set(first).count, 10_000)
    XCTAssertNotEqual(first, second)
    XCTAssertTrue(first.allSatisfy(items.indices.contains))
    XCTAssertTrue((0..<1_000).allSatisfy { items.indices.contains(Questions.asked($0, of: items.count)) })
  }

  func testAnEditOfAValueMovesItOverTheHalfAndBack() {
    for value in [0, 17, 4_999, 5_000, 9_999] {
      let other = Questions.otherHalf(value)
      XCTAssertNotEqual(other > Questions.half, value > Questions.half)
      XCTAssertEqual(Questions.otherHalf(other), value)
    }
  }

  func testEditedNamesAndDatesAreNobodyElses() {
    let edits = (1...10).flatMap { seed in (0..<100).map { (seed, $0) } }
    let names = edits.map { Questions.editedName($1, seed: $0) }
    let dates = edits.map { Questions.editedTicks($1, seed: $0) }
    XCTAssertEqual(Set(names).union(items.map(\.name)).count, 101_000)
    XCTAssertEqual(Set(dates).union(items.map(\.ticks)).count, 101_000)
    XCTAssertTrue(names.allSatisfy { $0.utf8.count == 24 })
  }

  func testASerialTellsTheNumber() {
    for number in [0, 35, 36, 99_999, 9_999_999] {
      XCTAssertEqual(ItemFacts.number(ofSerial: ItemFacts(number: number).serial), number)
      XCTAssertEqual(ItemFacts.ticks(ofNumber: number), ItemFacts(number: number).ticks)
    }
    XCTAssertEqual(ItemFacts.number(ofSerial: "no serial"), -1)
  }

  func testHalfOfTheTasksAreOpenAndOneIn400HasBothWords() {
    let tasks = (0..<100_000).map { TaskFacts(number: $0) }
    XCTAssertEqual(tasks.count { !$0.isDone }, 50_000, accuracy: 1_000)
    XCTAssertEqual(tasks.count { !$0.isDone && $0.ticks >= Questions.middleTicks }, 25_000, accuracy: 1_000)
    let matches = tasks.count { task in
      let words = Set(task.text.dropLast().split(separator: " "))
      return Questions.words.allSatisfy { words.contains($0[...]) }
    }
    XCTAssertEqual(matches, 250, accuracy: 100)
    XCTAssertEqual(Set(Questions.words).count, 2)
    XCTAssertTrue(tasks.allSatisfy { $0.text.utf8.count == 120 })
  }

  func testTheHashOfAnAnswerNoticesEveryPart() {
    func hash(_ answer: Answer<ItemFacts>) -> Int {
      var hash = Hash()
      hash.add(answer, number: { ItemFacts.number(ofSerial: $0.serial) }, value: \.value)
      return hash.value
    }
    var changed = items[1]
    changed.value += 1
    let answers: [Answer<ItemFacts>] = [
      .items([]), .items([items[1]]), .items([items[2]]), .items([items[1], items[2]]), .items([items[2], items[1]]),
      .items([changed]), .figures([1]), .figures([1, 0]),
    ]
    XCTAssertEqual(Set(answers.map(hash)).count, answers.count)
    XCTAssertEqual(hash(answers[3]), hash(.items([items[1], items[2]])))
  }
}
