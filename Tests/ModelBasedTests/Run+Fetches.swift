import RepriseCore
import RepriseTesting

extension Run {
  /// A fetch with its condition and its order, said to the library and said in plain code.
  private struct Case<Model: PersistentModel> {
    let name: String
    let fetch: Fetch<Model>
    let kind: Kind
    let holds: (Row, Key, World) -> Bool
  }

  /// A random fetch in a random context.
  func checkFetch() throws -> Bool {
    guard let node = nodes.randomElement(using: &random) else { return false }
    if Bool.random(using: &random) {
      try check(try thingCase(), node, sorts: things)
    } else {
      try check(holderCase(), node, sorts: holders)
    }
    return true
  }

  private func check<Model>(
    _ it: Case<Model>, _ node: Node, sorts: [(name: String, (Fetch<Model>) -> Fetch<Model>, Order)]
  ) throws {
    guard let sort = sorts.randomElement(using: &random) else { return }
    let offset = Int.random(in: 0...2, using: &random)
    let limit = Bool.random(using: &random) ? Int.random(in: 0...4, using: &random) : nil
    var fetch = sort.1(it.fetch)
    if let limit { fetch = fetch.limit(limit, offset: offset) }
    note("\(node.name).fetch(\(it.name), \(sort.name), \(limit.map { "\($0) from \(offset)" } ?? "all"))")
    let world = node.oracle.world
    var expected = world.keys.filter { $0.kind == it.kind && it.holds(world[$0] ?? [], $0, world) }
    expected.sort { sort.2.precedes($0, $1, world) }
    if let limit { expected = Array(expected.dropFirst(offset).prefix(limit)) }
    let found = try node.context.fetch(fetch)
    try expect(found.map { objects.key($0.id.any) }, expected, "\(node.name): fetch")
    try expect(try node.context.count(fetch), expected.count, "\(node.name): count of a fetch")
  }

  // MARK: Conditions

  private func thingCase() throws -> Case<Thing> {
    let number = Int.random(in: -2...3, using: &random)
    let text = Pool.texts.randomElement(using: &random) ?? ""
    let rank = Pool.rank(Array(text.utf8))
    func title(_ values: Row?) -> Int? { if case .text(let bytes) = values?[0] { Pool.rank(bytes) } else { nil } }
    func count(_ values: Row) -> Int { if case .int(let number) = values[1] { number } else { 0 } }
    func behind(_ values: Row, _ slot: Int, _ world: World) -> Row? {
      if case .link(let key) = values[slot] { world[key] } else { nil }
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      return Case(name: "title == '\(text.prefix(9))'", fetch: Fetch { $0.title == text }, kind: .thing) {
        values, _, _ in
        title(values) == rank
      }
    case 1:
      return Case(name: "title < '\(text.prefix(9))'", fetch: Fetch { $0.title < text }, kind: .thing) { values, _, _ in
        (title(values) ?? 0) < rank
      }
    case 2:
      return Case(name: "count >= \(number)", fetch: Fetch { $0.count >= number }, kind: .thing) { values, _, _ in
        count(values) >= number
      }
    case 3:
      return Case(
        name: "-1 <= count < \(number) or flag",
        fetch: Fetch { $0.count >= -1 && $0.count < number || $0.flag == true },
        kind: .thing
      ) { values, _, _ in count(values) >= -1 && count(values) < number || values[4] == .bool(true) }
    case 4:
      return Case(name: "no ratio", fetch: Fetch { $0.ratio == nil }, kind: .thing) { values, _, _ in values[3] == .none
      }
    case 5:
      return Case(
        name: "holder.name == '\(text.prefix(9))'", fetch: Fetch { $0.holder.name == text }, kind: .thing
      ) { values, _, world in title(behind(values, 9, world)) == rank }
    case 6:
      return Case(
        name: "not label.text == '\(text.prefix(9))'", fetch: Fetch { !($0.label.text == text) }, kind: .thing
      ) { values, _, world in title(behind(values, 11, world)) != rank }
    case 7:
      return Case(name: "count in 0, \(number)", fetch: Fetch { $0.count.isIn([0, number]) }, kind: .thing) {
        values, _, _ in [0, number].contains(count(values))
      }
    case 8:
      guard let (key, object) = visible(nodes[0], .holder), let holder = object as? Holder else { fallthrough }
      return Case(name: "holder == \(key)", fetch: Fetch { $0.holder == holder.id }, kind: .thing) { values, _, _ in
        values[9] == .link(key)
      }
    default: return Case(name: "all", fetch: Fetch(), kind: .thing) { _, _, _ in true }
    }
  }

  private func holderCase() -> Case<Holder> {
    let number = Int.random(in: -2...3, using: &random)
    func counts(_ key: Key, _ world: World) -> [Int] {
      OracleContext.members(Link.all[0], of: key, in: world).map {
        if case .int(let number) = world[$0]?[1] { number } else { 0 }
      }
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return Case(name: "things.count > 1", fetch: Fetch { $0.things.count > 1 }, kind: .holder) { _, key, world in
        counts(key, world).count > 1
      }
    case 1:
      return Case(
        name: "any of things: count > \(number)", fetch: Fetch { $0.things.any { $0.count > number } }, kind: .holder
      ) { _, key, world in counts(key, world).contains { $0 > number } }
    case 2:
      return Case(
        name: "all of things: count > \(number)", fetch: Fetch { $0.things.all { $0.count > number } }, kind: .holder
      ) { _, key, world in counts(key, world).allSatisfy { $0 > number } }
    case 3:
      return Case(name: "boss.rank < \(number)", fetch: Fetch { $0.boss.rank < number }, kind: .holder) {
        values, _, world in
        guard case .link(let boss) = values[4], case .int(let rank) = world[boss]?[1] else { return false }
        return rank < number
      }
    default: return Case(name: "all", fetch: Fetch(), kind: .holder) { _, _, _ in true }
    }
  }

  // MARK: Orders

  /// Ascending keys, nothing before something; the first decides.
  struct Order {
    let keys: (Row, World) -> [Int]
    var isReversed = false

    func precedes(_ left: Key, _ right: Key, _ world: World) -> Bool {
      let (l, r) = (keys(world[left] ?? [], world) + [left.number], keys(world[right] ?? [], world) + [right.number])
      return isReversed ? r.lexicographicallyPrecedes(l) : l.lexicographicallyPrecedes(r)
    }
  }

  private static func number(_ value: Cell?) -> Int {
    switch value {
    case .int(let number): number
    case .text(let bytes): Pool.rank(bytes)
    default: .min
    }
  }

  private var things: [(name: String, (Fetch<Thing>) -> Fetch<Thing>, Order)] {
    let number = Self.number
    return [
      ("by birth", { $0 }, Order { _, _ in [] }),
      ("by title", { $0.sorted { $0.title.ascending } }, Order { values, _ in [number(values[0])] }),
      (
        "by count down", { $0.sorted { $0.count.descending } },
        Order(keys: { values, _ in [number(values[1])] }, isReversed: true)
      ),
      (
        "by count, title", { $0.sorted { [$0.count.ascending, $0.title.ascending] } },
        Order { values, _ in [number(values[1]), number(values[0])] }
      ),
      (
        "by holder.name", { $0.sorted { $0.holder.name.ascending } },
        Order { values, world in
          guard case .link(let holder) = values[9] else { return [.min] }
          return [number(world[holder]?[0])]
        }
      ),
    ]
  }

  private var holders: [(name: String, (Fetch<Holder>) -> Fetch<Holder>, Order)] {
    let number = Self.number
    return [
      ("by birth", { $0 }, Order { _, _ in [] }),
      ("by rank", { $0.sorted { $0.rank.ascending } }, Order { values, _ in [number(values[1])] }),
      (
        "by name down", { $0.sorted { $0.name.descending } },
        Order(keys: { values, _ in [number(values[0])] }, isReversed: true)
      ),
    ]
  }
}
