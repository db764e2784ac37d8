import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds

// What a program does to its models from one version to the next.

extension ChainVersion {
  mutating func change(_ random: inout SeededGenerator) {
    let place = Int.random(in: kinds.indices, using: &random)
    let kind = kinds[place]
    let column = Int.random(in: kind.columns.indices, using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1: move(place, &random)
    case 2 where kind.part == nil && kind.columns.count > 1 && kinds.count < Self.shapes.count:
      extract(column, of: place, &random)
    case 3 where hasPlainPart(kind): inline(place, &random)
    case 4 where kinds.count < Self.shapes.count && kind.isAlone: split(place, &random)
    case 5 where kind.columns.count > 1:
      kinds[place].columns.remove(at: column)
      migrate(&random, removing: [.attribute(kind.columns[column].name, of: kind.name)])
    case 6: merge(&random)
    case 7, 8: rename(place, &random)
    case 9 where kind.columns[column].isDistinct && !kind.columns[column].isOptional:
      kinds[place].columns[column].isOptional = true
      kinds[place].columns[column].isWidened = true
    case 10 where kind.columns[column].isDistinct: kinds[place].columns[column].isUnique = true
    default:
      kinds[place].columns[column].isText.toggle()
      migrate(&random, kind.columns[column].conversion(of: kind.name))
    }
  }

  /// Whether a kind has a part that no other kind refers to.
  private func hasPlainPart(_ kind: Kind) -> Bool {
    guard let part = kind.part else { return false }
    let other = kinds[place(of: part)]
    return other.reference == nil && other.members == nil
  }

  /// Adds a migration, which lists what was renamed since the one before it.
  private mutating func migrate(
    _ random: inout SeededGenerator, _ conversion: AttributeConversion? = nil, mapping: [EntityMapping] = [],
    removing: [Removal] = []
  ) {
    let (number, renames) = (plan.count + 1, unlisted)
    unlisted = []
    if let conversion {
      plan.append(Migration(to: number, "\(number)", conversion, renaming: renames))
    } else {
      plan.append(Migration(to: number, "\(number)", renaming: renames, mapping: mapping, removing: removing))
    }
    // The models need not declare what the plan lists.
    if Bool.random(using: &random) { return }
    for place in kinds.indices {
      kinds[place].former = []
      for column in kinds[place].columns.indices { kinds[place].columns[column].former = [] }
      for end in Kind.ends { kinds[place][keyPath: end]?.former = [] }
    }
  }

  /// The other kinds lead to the new name.
  private mutating func follow(_ name: String, to next: String) {
    for place in kinds.indices {
      for end in Kind.ends where kinds[place][keyPath: end]?.kind == name { kinds[place][keyPath: end]?.kind = next }
    }
  }

  /// Gives something another name, which the models declare with `was:`.
  private mutating func rename(_ place: Int, _ random: inout SeededGenerator) {
    let kind = kinds[place]
    let end = Kind.ends.filter { kind[keyPath: $0] != nil }.randomElement(using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0 where kind.former.count < 2:
      let next = fresh("K")
      kinds[place].name = next
      kinds[place].former.insert(kind.name, at: 0)
      follow(kind.name, to: next)
      unlisted.append(.entity(kind.name, to: next))
    case 1 where end != nil:
      guard let end, let known = kind[keyPath: end] else { return }
      let next = fresh("e")
      kinds[place][keyPath: end]?.name = next
      kinds[place][keyPath: end]?.former.insert(known.name, at: 0)
      unlisted.append(.property(known.name, of: kind.name, to: next))
    default:
      let column = Int.random(in: kind.columns.indices, using: &random)
      let (name, next) = (kind.columns[column].name, fresh("c"))
      kinds[place].columns[column].name = next
      kinds[place].columns[column].former.insert(name, at: 0)
      unlisted.append(.property(name, of: kind.name, to: next))
    }
  }

  private mutating func move(_ place: Int, _ random: inout SeededGenerator) {
    let kind = kinds[place]
    var moved = kind
    moved.name = fresh("K")
    moved.former = []
    var renamed: [String: String] = [:]
    for column in moved.columns.indices where Bool.random(using: &random) {
      let name = fresh("c")
      renamed[moved.columns[column].name] = name
      (moved.columns[column].name, moved.columns[column].former) = (name, [])
    }
    // What the models do not have is left behind.
    if moved.columns.count > 1, Int.random(in: 0..<3, using: &random) == 0 {
      let dropped = moved.columns.removeLast()
      renamed = renamed.filter { $0.value != dropped.name }
    }
    for end in Kind.ends where end != \Kind.whole && Bool.random(using: &random) {
      guard let known = moved[keyPath: end] else { continue }
      let name = fresh("r")
      renamed[known.name] = name
      moved[keyPath: end] = End(name: name, kind: known.kind)
    }
    var assignments: [EntityMapping.Assignment] = []
    if Bool.random(using: &random) {
      let (name, from) = (fresh("c"), kind.columns[0].name)
      moved.columns.append(Column(name: name, isText: true, isDistinct: false))
      assignments.append(.init(name, String.self) { "of \($0[from])" })
    }
    kinds[place] = moved
    follow(kind.name, to: moved.name)
    migrate(&random, mapping: [.move(kind.name, to: moved.name, renaming: renamed, setting: assignments)])
  }

  private mutating func extract(_ column: Int, of place: Int, _ random: inout SeededGenerator) {
    let kind = kinds[place]
    let part = End(name: fresh("r"), kind: fresh("K"))
    kinds[place].columns.remove(at: column)
    kinds[place].part = part
    kinds.append(
      Kind(name: part.kind, columns: [kind.columns[column]], whole: End(name: fresh("b"), kind: kind.name)))
    migrate(
      &random,
      mapping: [.extract(part.kind, from: kind.name, as: part.name, moving: [kind.columns[column].name])])
  }

  private mutating func inline(_ place: Int, _ random: inout SeededGenerator) {
    let kind = kinds[place]
    guard let part = kind.part else { return }
    let other = self.place(of: part)
    var renamed: [String: String] = [:]
    for var column in kinds[other].columns {
      let name = fresh("c")
      renamed[column.name] = name
      (column.name, column.former) = (name, [])
      kinds[place].columns.append(column)
    }
    // A part of a part goes with it.
    let rest = kinds[other].part
    kinds[place].part = nil
    kinds.remove(at: other)
    if let rest, let last = kinds.firstIndex(where: { $0.name == rest.kind }) { kinds[last].whole = nil }
    migrate(
      &random, mapping: [.inline(part.kind, into: kind.name, through: part.name, renaming: renamed)])
  }

  private mutating func split(_ place: Int, _ random: inout SeededGenerator) {
    let kind = kinds[place]
    var other = kind
    (other.name, other.former) = (fresh("K"), [])
    // No two kinds have columns of one name: a last model with that name would say that both are taken along.
    var renamed: [String: String] = [:]
    for column in other.columns.indices {
      let name = fresh("c")
      renamed[other.columns[column].name] = name
      (other.columns[column].name, other.columns[column].former) = (name, [])
    }
    kinds.append(other)
    let column = kind.columns[0].name
    migrate(
      &random,
      mapping: [
        .move(
          kind.name, to: other.name, renaming: renamed,
          where: { object in "\(object[column])".utf8.reduce(0) { $0 ^ $1 } & 1 == 1 })
      ])
  }

  /// Two kinds become one, with the columns of both.
  private mutating func merge(_ random: inout SeededGenerator) {
    let places = kinds.indices.filter { place in
      kinds[place].isAlone && !kinds[place].columns.contains { $0.isWidened || $0.isUnique }
    }
    if places.count < 2 { return }
    let (one, two) = (kinds[places[0]], kinds[places[1]])
    var merged = Kind(name: fresh("K"), columns: one.columns + two.columns)
    for column in merged.columns.indices { merged.columns[column].isDistinct = false }
    kinds[places[0]] = merged
    kinds.remove(at: places[1])
    migrate(&random, mapping: [.move(one.name, to: merged.name), .move(two.name, to: merged.name)])
  }
}
