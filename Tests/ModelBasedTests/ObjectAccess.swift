import RepriseCore
import RepriseTestModels
import RepriseTesting

/// Objects of the library read and written as the oracle's values, through what a user has: properties and collections.
@MainActor
struct ObjectAccess {
  private(set) var ids: [Key: AnyObjectID] = [:]
  private var keys: [AnyObjectID: Key] = [:]

  /// Gives a new object its number. At once after its birth, so that numbers are in the order of the IDs.
  mutating func add(_ object: some PersistentModel, _ kind: Kind) -> Key {
    let key = Key(kind: kind, number: keys.count)
    ids[key] = object.id.any
    keys[object.id.any] = key
    return key
  }

  func key(_ id: AnyObjectID) -> Key? { keys[id] }

  func find(_ key: Key, in context: ObjectContext) -> (any PersistentModel)? {
    guard let id = ids[key] else { return nil }
    return try? context.object(id)
  }

  // MARK: Reading

  private func link(_ object: (some PersistentModel)?) -> Cell {
    object.flatMap { keys[$0.id.any] }.map { .link($0) } ?? .none
  }

  /// What is stored: attributes, and links at the end that has them.
  func values(of object: any PersistentModel) -> Row {
    switch object {
    case let thing as Thing:
      [
        .text(Array(thing.title.utf8)), .int(thing.count), .unsigned(thing.big),
        thing.ratio.map { .double(bits: $0.bitPattern) } ?? .none, .bool(thing.flag),
        thing.data.map { .bytes($0) } ?? .none, thing.moment.map { .moment(bits: $0.seconds.bitPattern) } ?? .none,
        thing.token.map { .token($0) } ?? .none, .text(Array(thing.grade.rawValue.utf8)), link(thing.holder),
        link(thing.shelf), link(thing.label),
      ]
    case let holder as Holder:
      [.text(Array(holder.name.utf8)), .int(holder.rank), .none, .none, link(holder.boss), .none]
    case let label as Label: [.text(Array(label.text.utf8)), .none]
    default: []
    }
  }

  /// What follows from the other end, by slot: the sources that lead here.
  func members(of object: any PersistentModel) -> [(slot: Int, keys: [Key], count: Int)] {
    func keys(_ objects: some Sequence<some PersistentModel>) -> [Key] { objects.compactMap { self.keys[$0.id.any] } }
    switch object {
    case let holder as Holder:
      return [
        (2, keys(holder.things), holder.things.count), (3, keys(holder.shelved), holder.shelved.count),
        (5, keys(holder.reports), holder.reports.count),
      ]
    case let label as Label:
      let thing = label.thing.map { [$0] } ?? []
      return [(1, keys(thing), thing.count)]
    default: return []
    }
  }

  // MARK: Writing

  static func write(_ value: Cell, _ slot: Int, of object: any PersistentModel) {
    switch (object, slot, value) {
    case (let thing as Thing, 0, .text(let bytes)): thing.title = String(decoding: bytes, as: UTF8.self)
    case (let thing as Thing, 1, .int(let number)): thing.count = number
    case (let thing as Thing, 2, .unsigned(let number)): thing.big = number
    case (let thing as Thing, 3, .double(let bits)): thing.ratio = Double(bitPattern: bits)
    case (let thing as Thing, 3, .none): thing.ratio = nil
    case (let thing as Thing, 4, .bool(let flag)): thing.flag = flag
    case (let thing as Thing, 5, .bytes(let bytes)): thing.data = bytes
    case (let thing as Thing, 5, .none): thing.data = nil
    case (let thing as Thing, 6, .moment(let bits)): thing.moment = Moment(seconds: Double(bitPattern: bits))
    case (let thing as Thing, 6, .none): thing.moment = nil
    case (let thing as Thing, 7, .token(let token)): thing.token = token
    case (let thing as Thing, 7, .none): thing.token = nil
    case (let thing as Thing, 8, .text(let bytes)):
      thing.grade = ItemCondition(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .good
    case (let holder as Holder, 0, .text(let bytes)): holder.name = String(decoding: bytes, as: UTF8.self)
    case (let holder as Holder, 1, .int(let number)): holder.rank = number
    case (let label as Label, 0, .text(let bytes)): label.text = String(decoding: bytes, as: UTF8.self)
    default: preconditionFailure("slot \(slot) takes no \(value)")
    }
  }

  static func link(_ object: any PersistentModel, _ slot: Int, to target: (any PersistentModel)?) {
    switch (object, slot) {
    case (let thing as Thing, 9): thing.holder = target as? Holder
    case (let thing as Thing, 10): thing.shelf = target as? Holder
    case (let thing as Thing, 11): thing.label = target as? Label
    case (let holder as Holder, 4): holder.boss = target as? Holder
    default: preconditionFailure("slot \(slot) is no link")
    }
  }

  static func insertMember(_ member: any PersistentModel, _ slot: Int, of target: any PersistentModel) {
    switch (target, slot, member) {
    case (let holder as Holder, 9, let thing as Thing): holder.things.insert(thing)
    case (let holder as Holder, 10, let thing as Thing): holder.shelved.insert(thing)
    case (let holder as Holder, 4, let other as Holder): holder.reports.insert(other)
    default: preconditionFailure("slot \(slot) has no members")
    }
  }

  static func removeMember(_ member: any PersistentModel, _ slot: Int, of target: any PersistentModel) {
    switch (target, slot, member) {
    case (let holder as Holder, 9, let thing as Thing): holder.things.remove(thing)
    case (let holder as Holder, 10, let thing as Thing): holder.shelved.remove(thing)
    case (let holder as Holder, 4, let other as Holder): holder.reports.remove(other)
    default: preconditionFailure("slot \(slot) has no members")
    }
  }
}

/// Few values for each attribute, so that they meet again: in conflicts, in agreement, in fetches.
enum Pool {
  /// In the order of the library. The two spellings of é differ in bytes and in nothing else.
  /// The longest lies beside its object.
  static let texts = [
    "", "a", "aa", "b", "é", "e\u{301}", String(repeating: "long ", count: 60),
    String(repeating: "long ", count: 2_000),
  ]
  /// The place in the order; texts that do not differ share one.
  static func rank(_ bytes: [UInt8]) -> Int {
    // "long …" sorts before "é" and behind "b".
    let order = [0, 1, 2, 3, 6, 6, 4, 5]
    return texts.firstIndex { Array($0.utf8) == bytes }.map { order[$0] } ?? -1
  }

  static let token = UniqueID()

  static func value(_ kind: Kind, _ slot: Int, _ random: inout SeededGenerator) -> Cell {
    switch (kind, slot) {
    case (.thing, 0), (.holder, 0), (.label, 0): text(&random)
    case (.thing, 1), (.holder, 1): .int(Int.random(in: -2...3, using: &random))
    case (.thing, 2): .unsigned([0, 1, .max].randomElement(using: &random) ?? 0)
    case (.thing, 3):
      [.none, .double(bits: 0), .double(bits: (-0.0).bitPattern), .double(bits: (1.5).bitPattern)]
        .randomElement(using: &random) ?? .none
    case (.thing, 4): .bool(Bool.random(using: &random))
    case (.thing, 5):
      [
        .none, .bytes([]), .bytes([1, 2]), .bytes(Array(repeating: 7, count: 3_000)),
        .bytes(Array(repeating: 7, count: 9_000)), .bytes(Array(repeating: 7, count: 8_999) + [8]),
      ].randomElement(using: &random) ?? .none
    case (.thing, 6):
      [.none, .moment(bits: 0), .moment(bits: (12.25).bitPattern)].randomElement(using: &random) ?? .none
    case (.thing, 7):
      [.none, .token(token), .token(.init("01890a5d-ac96-774b-bcce-b302099a8057") ?? token)]
        .randomElement(using: &random) ?? .none
    case (.thing, 8): [.text(Array("good".utf8)), .text(Array("worn".utf8))].randomElement(using: &random) ?? .none
    default: preconditionFailure("no attribute \(slot)")
    }
  }

  static func text(_ random: inout SeededGenerator) -> Cell {
    .text(Array((texts.randomElement(using: &random) ?? "").utf8))
  }

  static func slots(_ kind: Kind) -> Range<Int> {
    switch kind {
    case .thing: 0..<9
    case .holder: 0..<2
    case .label: 0..<1
    }
  }
}
