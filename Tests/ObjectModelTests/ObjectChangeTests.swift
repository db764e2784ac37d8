import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Undo, drafts, rebase and history all rest on these laws.
final class ObjectChangeTests: XCTestCase {
  private typealias Values = ContiguousArray<PropertyValue>
  private let slots = 4

  // "é" in both spellings: equal, and yet a change.
  private let choices: [PropertyValue] = [
    .null, .int(1), .int(2), .string("a"), .string("é"), .string("e\u{301}"), .double(0), .double(-0.0),
  ]

  private func values(_ random: inout SeededGenerator) -> Values {
    Values((0..<slots).map { _ in choices.randomElement(using: &random) ?? .null })
  }

  /// A change that can happen to an object in `state`.
  private func change(from state: Values?, _ random: inout SeededGenerator) -> ObjectChange? {
    guard let state else { return .inserted(values(&random)) }
    if Int.random(in: 0..<4, using: &random) == 0 { return .deleted(state) }
    var next = state
    for slot in 0..<slots where Bool.random(using: &random) {
      next[slot] = choices.randomElement(using: &random) ?? .null
    }
    return .updated(from: state, to: next)
  }

  private func history(from start: Values?, _ random: inout SeededGenerator) -> (changes: [ObjectChange], end: Values?)
  {
    var (state, changes) = (start, [ObjectChange]())
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard let change = change(from: state, &random) else { continue }
      changes.append(change)
      state = change.applied(to: state)
    }
    return (changes, state)
  }

  private func joined(_ left: ObjectChange?, _ right: ObjectChange?) -> ObjectChange? {
    guard let left, let right else { return left ?? right }
    return left.followed(by: right)
  }

  /// Joins neighbours in a random order.
  private func joined(_ changes: [ObjectChange], _ random: inout SeededGenerator) -> ObjectChange? {
    var parts: [ObjectChange?] = changes
    while parts.count > 1 {
      let at = Int.random(in: 0..<parts.count - 1, using: &random)
      parts.replaceSubrange(at...at + 1, with: [joined(parts[at], parts[at + 1])])
    }
    return parts.first ?? nil
  }

  /// The change from one state to another, as the definition has it.
  private func net(_ start: Values?, _ end: Values?) -> ObjectChange? {
    switch (start, end) {
    case (nil, nil): nil
    case (nil, let end?): .inserted(end)
    case (let start?, nil): .deleted(start)
    case (let start?, let end?): .updated(from: start, to: end)
    }
  }

  /// Equality to the last byte.
  private func bytes(_ values: Values) -> [String] {
    values.map { value in
      if case .string(let text) = value { "text \([UInt8](text.utf8))" } else { "\(value)" }
    }
  }

  private func bytes(_ change: ObjectChange?) -> [String] {
    switch change {
    case nil: ["nothing"]
    case .inserted(let values): ["inserted"] + bytes(values)
    case .deleted(let values): ["deleted"] + bytes(values)
    case .updated(let changes): ["updated"] + changes.flatMap { ["\($0.slot)"] + bytes([$0.old, $0.new]) }
    }
  }

  func testJoiningIsAssociativeAndIsTheNetOfAPlainFold() {
    var random = SeededGenerator(seed: testSeed(default: 31))
    var outcomes: Set<String> = []
    for _ in 0..<5_000 {
      let start = Bool.random(using: &random) ? values(&random) : nil
      let (changes, end) = history(from: start, &random)
      let whole = joined(changes, &random)
      XCTAssertEqual(bytes(whole), bytes(net(start, end)))
      XCTAssertEqual(bytes(joined(changes, &random)), bytes(whole))
      if let whole { XCTAssertEqual(whole.applied(to: start).map(bytes), end.map(bytes)) }
      outcomes.insert(bytes(whole)[0])
    }
    XCTAssertEqual(outcomes, ["nothing", "inserted", "updated", "deleted"])
  }

  func testChangesAreJoinedByTheRuleOfKinds() {
    let update = PropertyChange(slot: 0, old: .int(1), new: .int(2))
    let changes: [ObjectChange] = [.inserted([.int(1)]), .updated([update]), .deleted([.int(2)])]
    let expected: [[ChangeKind?]] = [
      [.inserted, .inserted, nil],
      [.inserted, .updated, .deleted],
      [.updated, .updated, .deleted],
    ]
    for (earlier, kinds) in zip(changes, expected) {
      for (later, kind) in zip(changes, kinds) {
        XCTAssertEqual(earlier.kind.followed(by: later.kind), kind)
        XCTAssertEqual(earlier.followed(by: later)?.kind, kind)
      }
    }
  }

  func testTheInverseTakesEverythingBack() {
    var random = SeededGenerator(seed: testSeed(default: 32))
    for _ in 0..<5_000 {
      let start = Bool.random(using: &random) ? values(&random) : nil
      let (changes, end) = history(from: start, &random)
      guard let whole = joined(changes, &random) else { continue }
      XCTAssertEqual(whole.inverse.applied(to: end).map(bytes), start.map(bytes))
      XCTAssertNil(whole.followed(by: whole.inverse))
      XCTAssertNil(whole.inverse.followed(by: whole))
      XCTAssertEqual(bytes(whole.inverse.inverse), bytes(whole))
      XCTAssertEqual(bytes(joined(changes.reversed().map(\.inverse), &random)), bytes(whole.inverse))
    }
  }

  func testAnUpdateListsEachSlotOnceInOrderAndOnlyWhatChanged() {
    var random = SeededGenerator(seed: testSeed(default: 33))
    for _ in 0..<5_000 {
      let start = values(&random)
      guard case .updated(let changes) = joined(history(from: start, &random).changes, &random) else { continue }
      XCTAssertEqual(changes.map(\.slot), Set(changes.map(\.slot)).sorted())
      for change in changes { XCTAssertFalse(change.old.isIdentical(to: change.new)) }
    }
  }

  func testAnotherSpellingOfAnEqualTextIsAChange() {
    let change = ObjectChange.updated(from: [.string("é")], to: [.string("e\u{301}")])
    XCTAssertNotNil(change)
    XCTAssertNil(ObjectChange.updated(from: [.string("é")], to: [.string("é")]))
  }
}
