import RepriseObjectGraph
import RepriseQuery

/// Four cells that are always edited together.
enum Lane {
  static let size = 4

  enum Reading: Equatable, CustomStringConvertible {
    /// All four say so; 0 where there are none.
    case whole(Int)
    case torn(String)

    var description: String {
      switch self {
      case .whole(let stamp): String(stamp)
      case .torn(let what): "torn(\(what.replacing(" ", with: "_")))"
      }
    }
  }

  static func cells(_ lane: Int, in context: ObjectContext) throws -> [Cell] {
    try context.fetch(Fetch<Cell> { $0.lane == lane }).sorted { $0.place < $1.place }
  }

  /// What a context sees of a lane: checks every property of every cell against the one stamp.
  static func read(_ lane: Int, in context: ObjectContext) throws -> Reading {
    let cells = try cells(lane, in: context)
    guard let first = cells.first else { return .whole(0) }
    let stamp = first.stamp
    let stamps = cells.map(\.stamp)
    guard cells.map(\.place) == Array(0..<size), stamps.allSatisfy({ $0 == stamp }) else {
      return .torn("places \(cells.map(\.place)) stamps \(stamps)")
    }
    for cell in cells {
      if cell.text != text(stamp, cell.place) { return .torn("text of \(cell.place) at \(stamp)") }
      if cell.name != name(stamp, lane, cell.place) { return .torn("name of \(cell.place) at \(stamp): \(cell.name)") }
      let partner = cells[partner(stamp, cell.place)]
      if cell.partner?.id != partner.id { return .torn("partner of \(cell.place) at \(stamp)") }
      if !partner.partners.contains(where: { $0.id == cell.id }) { return .torn("partners at \(stamp)") }
    }
    let byName = try context.count(Fetch<Cell> { $0.name == name(stamp, lane, 0) })
    return byName == 1 ? .whole(stamp) : .torn("\(byName) cells in the index over names")
  }

  /// Gives a lane a stamp, as one step.
  ///
  /// - Parameter renewing: Deletes the cells that are there and inserts others.
  static func edit(_ lane: Int, to stamp: Int, renewing: Bool, in context: EditingContext) throws {
    var cells = try cells(lane, in: context)
    context.group("Stamp \(stamp)") {
      if renewing || cells.isEmpty {
        for cell in cells { context.delete(cell) }
        cells = (0..<size).map { context.insert(Cell(lane: lane, place: $0)) }
      }
      for cell in cells {
        cell.stamp = stamp
        cell.text = text(stamp, cell.place)
        cell.name = name(stamp, lane, cell.place)
        cell.partner = cells[partner(stamp, cell.place)]
      }
    }
  }

  /// Short most of the time, at times longer than a page, and then some so long that they lie beside their records.
  private static func text(_ stamp: Int, _ place: Int) -> String {
    let line = "\(stamp).\(place) grüßt; "
    let count = stamp % 11 == 3 ? (place < 2 ? 900 : 300) : 1 + stamp % 3
    return String(repeating: line, count: count)
  }

  private static func name(_ stamp: Int, _ lane: Int, _ place: Int) -> String { "\(lane)-\(stamp)-\(place)" }
  private static func partner(_ stamp: Int, _ place: Int) -> Int { (place + stamp) % size }
}

/// The chain of the last saves of lane 0.
enum Chain {
  static let length = 6

  static func extend(to stamp: Int, from previous: Int, in context: EditingContext) throws {
    let entries = try context.fetch(Fetch<Entry>().sorted { $0.stamp.ascending })
    for entry in entries.dropLast(length - 1) { context.delete(entry) }
    context.insert(Entry(stamp: stamp, previous: previous))
  }

  /// The last stamp; 0 in an empty chain; `nil` in a broken one.
  static func read(in context: ObjectContext) throws -> Int? {
    let entries = try context.fetch(Fetch<Entry>().sorted { $0.stamp.ascending })
    for (entry, next) in zip(entries, entries.dropFirst()) where next.previous != entry.stamp { return nil }
    if entries.count > length || (entries.count < length && (entries.first?.previous ?? 0) != 0) { return nil }
    return entries.last?.stamp ?? 0
  }
}
