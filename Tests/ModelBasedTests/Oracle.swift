import RepriseCore

// The plain model that the library is compared with: dictionaries, copied where a layer begins. Nothing here calls into
// the library.

/// The models, by number.
enum Kind: Int, Comparable, CaseIterable {
  case thing
  case holder
  case label

  static func < (lhs: Kind, rhs: Kind) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An object, numbered in the order of birth.
struct Key: Hashable, Comparable, CustomStringConvertible {
  let kind: Kind
  let number: Int

  static func < (lhs: Key, rhs: Key) -> Bool { lhs.number < rhs.number }
  var description: String { "\(kind)\(number)" }
}

/// What a slot holds. Texts are bytes: two spellings of one text are two values.
enum Cell: Hashable, CustomStringConvertible {
  case none
  case bool(Bool)
  case int(Int)
  case unsigned(UInt64)
  case double(bits: UInt64)
  case text([UInt8])
  case bytes([UInt8])
  case moment(bits: UInt64)
  case token(UniqueID)
  case link(Key)

  var isNumber: Bool {
    switch self {
    case .int, .unsigned, .double: true
    default: false
    }
  }

  var description: String {
    switch self {
    case .none: "nil"
    case .bool(let it): "\(it)"
    case .int(let it): "\(it)"
    case .unsigned(let it): "\(it)u"
    case .double(let it): "\(Double(bitPattern: it))"
    case .text(let it): it.count > 9 ? "'…\(it.count)'" : "'\(String(decoding: it, as: UTF8.self))'(\(it.count))"
    case .bytes(let it): "\(it.count) bytes"
    case .moment(let it): "date \(Double(bitPattern: it))"
    case .token(let it): "\(it)"
    case .link(let it): "-> \(it)"
    }
  }
}

typealias Row = [Cell]
/// All objects at one moment.
typealias World = [Key: Row]

/// A relationship: the source stores a link, the target's end follows from it.
struct Link {
  let source: Kind
  let slot: Int
  let target: Kind
  /// At most one source for a target.
  let isOneToOne: Bool
  /// When a source is deleted, its target goes too.
  let cascadesToTarget: Bool
  /// When a target is deleted, its sources go too; else they forget it.
  let cascadesToSource: Bool

  static let all = [
    Link(
      source: .thing, slot: 9, target: .holder, isOneToOne: false, cascadesToTarget: false, cascadesToSource: true),
    Link(
      source: .thing, slot: 10, target: .holder, isOneToOne: false, cascadesToTarget: false, cascadesToSource: false),
    Link(source: .thing, slot: 11, target: .label, isOneToOne: true, cascadesToTarget: true, cascadesToSource: false),
    Link(
      source: .holder, slot: 4, target: .holder, isOneToOne: false, cascadesToTarget: false, cascadesToSource: false),
  ]
}

/// The net change of one object in a layer.
enum Edit: Equatable {
  case inserted(Row)
  case updated([Int: Change])
  /// With the values before the layer touched it.
  case deleted(base: Row)
}

struct Change: Equatable {
  var base: Cell
  var now: Cell
}

typealias Layer = [Key: Edit]

extension Layer {
  mutating func set(_ key: Key, _ slot: Int, from old: Cell, to new: Cell) {
    switch self[key] {
    case .inserted(var values):
      values[slot] = new
      self[key] = .inserted(values)
    case .updated(var changes):
      changes[slot, default: Change(base: old, now: new)].now = new
      if let change = changes[slot], change.base == change.now { changes[slot] = nil }
      self[key] = changes.isEmpty ? nil : .updated(changes)
    case .deleted: break
    case nil: if old != new { self[key] = .updated([slot: Change(base: old, now: new)]) }
    }
  }

  mutating func insert(_ key: Key, _ values: Row) {
    guard case .deleted(let base) = self[key] else {
      self[key] = .inserted(values)
      return
    }
    self[key] = nil
    for slot in values.indices { set(key, slot, from: base[slot], to: values[slot]) }
  }

  mutating func delete(_ key: Key, seenAs values: Row) {
    switch self[key] {
    case .inserted: self[key] = nil
    case .updated(let changes):
      var base = values
      for (slot, change) in changes { base[slot] = change.base }
      self[key] = .deleted(base: base)
    case .deleted: break
    case nil: self[key] = .deleted(base: values)
    }
  }

  /// This layer with another on top of it, as one.
  func with(_ upper: Layer) -> Layer {
    var both = self
    for (key, edit) in upper {
      switch edit {
      case .inserted(let values): both.insert(key, values)
      case .updated(let changes):
        for (slot, change) in changes { both.set(key, slot, from: change.base, to: change.now) }
      case .deleted(let base): both.delete(key, seenAs: both.seen(key, over: base))
      }
    }
    return both
  }

  /// The values of an object of which the layer below has these.
  private func seen(_ key: Key, over base: Row) -> Row {
    switch self[key] {
    case .inserted(let values): return values
    case .updated(let changes):
      var values = base
      for (slot, change) in changes { values[slot] = change.now }
      return values
    case .deleted, nil: return base
    }
  }

  /// What is to be seen through this layer.
  func over(_ below: World) -> World {
    var world = below
    for (key, edit) in self {
      switch edit {
      case .inserted(let values): world[key] = values
      case .deleted: world[key] = nil
      case .updated(let changes): for (slot, change) in changes { world[key]?[slot] = change.now }
      }
    }
    return world
  }
}

/// What keeps a layer from being put on a state.
struct Clash: Hashable, Comparable, CustomStringConvertible {
  enum Why: Hashable {
    case attribute(slot: Int, base: Cell, mine: Cell, theirs: Cell)
    case deletedByThem
    case deletedByMe
    case insertedTwice
    case missingTarget(slot: Int)
    case addedToDeleted(slot: Int, target: Key, cascades: Bool)
    case taken(slot: Int, target: Key, theirs: Cell, by: Key)
  }

  let key: Key
  let why: Why

  static func < (lhs: Clash, rhs: Clash) -> Bool { lhs.description < rhs.description }
  var description: String { "\(key) \(why)" }
}

/// Deliberate mistakes, to see that the comparison notices.
enum Mistake: CaseIterable {
  case cascadeStopsAtOne
  case undoKeepsInsertions
  case discardKeepsOneEdit
  case pinnedContextMoves
  case savedOverAConflict
  case cascadesTakeWhatOthersAdded
  case oneToOnesTakeWhatOthersPlaced
  case oneToOneKeepsBoth
  case childSaveForgetsADeletion
  case restoreLosesTheLastGroup
  case redoIsForgotten
  case countIsOffByOne
  case screensForgetTheLastChange
  case aGroupThatThrowsKeepsHalf
}
