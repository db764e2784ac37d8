import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The rows in memory of a list whose sections are made from another value than the first sort key. There is a
/// ``RowTree`` for each section. The sections are in the order of their first rows.
struct SectionedRows {
  struct Section {
    let name: String
    /// The rows in the order of the fetch. There is at least one.
    let rows: RowTree
    /// The sort key of the first row.
    let first: [UInt8]
  }

  let sections: [Section]
  let snapshot: ListSnapshot
  /// All matching rows in the order of the fetch, if limit and offset leave some out. Otherwise `nil`.
  let all: RowTree?
  /// How the objects were found when they were fetched.
  let finding: FetchFinding?
  private let indices: [String: Int]

  /// Costs as much as the fetch without its limit.
  init(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(FetchError) {
    let keys = try projection.sortedKeys(fetch, map)
    var numbers: [[Int]] = []
    var places: [String: Int] = [:]
    for number in fetch.window(of: keys.count) {
      let name = keys.sectionName(at: number)
      if let place = places[name] {
        numbers[place].append(number)
      } else {
        places[name] = numbers.count
        numbers.append([number])
      }
    }
    let sections = numbers.map {
      Section(name: keys.sectionName(at: $0[0]), rows: RowTree(keys, at: $0), first: keys.key(at: $0[0]))
    }
    self.init(sections, all: fetch.isWindowed ? RowTree(keys) : nil, keys.finding)
  }

  init(_ sections: [Section], all: RowTree?, _ finding: FetchFinding?) {
    self.finding = finding
    self.sections = sections
    self.all = all
    snapshot = ListSnapshot(sections.map { ListSnapshot.Section(name: $0.name, rowCount: $0.rows.count) })
    var indices: [String: Int] = [:]
    for (index, section) in sections.enumerated() { indices[section.name] = index }
    self.indices = indices
  }

  /// The index of a section. `nil` if it has no rows.
  func index(ofSection name: String) -> Int? { indices[name] }

  /// The rows of a section.
  func rows(ofSection name: String) -> RowTree { indices[name].map { sections[$0].rows } ?? .empty }

  func object(at index: Int) -> UniqueID? {
    snapshot.path(at: index).flatMap { sections[$0.section].rows.row(at: $0.item) }
  }

  func objects(at range: Range<Int>) -> [UniqueID] {
    var objects: [UniqueID] = []
    objects.reserveCapacity(range.count)
    var section = snapshot.path(at: range.lowerBound)?.section ?? sections.count
    while section < sections.count, objects.count < range.count {
      let here = snapshot.rows(inSection: section).clamped(to: range)
      let start = snapshot.rows(inSection: section).lowerBound
      objects += sections[section].rows.rows(at: here.lowerBound - start..<here.upperBound - start)
      section += 1
    }
    return objects
  }

  /// The number of rows before an object's row. `nil` if it has no row.
  func index(of uuid: UniqueID, key: [UInt8], section: String) -> Int? {
    guard let index = indices[section] else { return nil }
    return sections[index].rows.rank(of: uuid, key: key).map { snapshot.rows(inSection: index).lowerBound + $0 }
  }

  var memoryInBytes: Int {
    sections.reduce(all?.memoryInBytes ?? 0) { $0 + $1.rows.memoryInBytes + $1.first.count + $1.name.utf8.count + 100 }
  }
}

extension CompiledFetch {
  /// Whether limit or offset may leave rows out.
  var isWindowed: Bool { limit != nil || offset > 0 }

  /// The rows within limit and offset, if there are `count` rows.
  func window(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    return lower..<lower + min(limit ?? .max, count - lower)
  }
}
