import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// A copy of a list's rows and of what they show, kept by nothing but its batches.
protocol Shadow: AnyObject {
  /// Compares the list with its copy, and with a fetch.
  func check(_ note: String) throws
  var batchCount: Int { get }
}

/// What a row shows, by property.
protocol ShownModel: PersistentModel {
  var shown: [String: String] { get }
}

extension Item: ShownModel {
  var shown: [String: String] {
    [
      "name": name, "valueInDollars": "\(valueInDollars)", "weight": "\(weight as Double?, default: "nil")",
      "isInsured": "\(isInsured)", "owner": "\(snapshot.owner as Person.ID?, default: "nil")",
    ]
  }
}

extension Person: ShownModel {
  var shown: [String: String] {
    ["name": name, "zip": "\(zip)", "boss": "\(snapshot.boss as Person.ID?, default: "nil")"]
  }
}

final class ShadowList<Model: ShownModel>: Shadow {
  struct ShownRow: Equatable {
    let id: Model.ID
    var values: [String: String]
  }

  struct ShownSection: Equatable {
    let name: String?
    var rows: [ShownRow]
  }

  let list: FetchedList<Model>
  private let label: String
  private let section: ((Model) -> String)?
  private let isGrouped: Bool
  private var sections: [ShownSection] = []
  /// Kept by the library's own function.
  private var ids: [[Model.ID]] = []
  private var observation: ListObservation?
  private(set) var batchCount = 0
  private(set) var last: ListBatch?

  init(
    _ label: String, _ fetch: Fetch<Model>, in context: ObjectContext, section: ((Model) -> String)? = nil,
    isGrouped: Bool = false
  ) throws {
    self.label = label
    self.section = section
    self.isGrouped = isGrouped
    list = try FetchedList(fetch, in: context)
    observation = list.observe { [unowned self] batch in receive(batch) }
    sections = shown
    ids = sections.map { $0.rows.map(\.id) }
  }

  /// What the list says now.
  private var shown: [ShownSection] {
    (0..<list.sectionCount).map { section in
      ShownSection(
        name: list.sectionName(section),
        rows: (0..<list.rowCount(inSection: section)).map {
          let element = list.element(at: RowPath(section: section, item: $0))
          return ShownRow(id: element.id, values: element.shown)
        })
    }
  }

  private func receive(_ batch: ListBatch) {
    batchCount += 1
    last = batch
    XCTAssertEqual(batch.before, snapshot(of: sections), "\(label): does not begin where the last one ended")
    XCTAssertEqual(batch.after, list.snapshot, label)
    guard let changes = batch.changes else { return XCTFail("\(label): a reset") }
    XCTAssertFalse(changes.isEmpty, "\(label): nothing changed")
    let now = shown
    apply(changes, now)
    XCTAssertEqual(sections, now, "\(label): \(changes)")
    sections = now
    batch.apply(to: &ids) { now[$0.section].rows[$0.item].id }
    XCTAssertEqual(ids, now.map { $0.rows.map(\.id) }, "\(label): by the library")
  }

  private func snapshot(of sections: [ShownSection]) -> ListSnapshot {
    ListSnapshot(sections.map { ListSnapshot.Section(name: $0.name, rowCount: $0.rows.count) })
  }

  /// As the documentation says, one row at a time.
  private func apply(_ changes: ListChanges, _ now: [ShownSection]) {
    for update in changes.updatedRows {
      let before = sections[update.before.section].rows[update.before.item]
      let after = now[update.after.section].rows[update.after.item]
      XCTAssertEqual(before.id, after.id, "\(label): an update of another row")
      let differing = Set(after.values.keys.filter { after.values[$0] != before.values[$0] })
      let related: Set<String> = ["owner", "items", "boss", "reports"]
      let told = Set(update.properties)
      XCTAssertEqual(told.count, update.properties.count)
      XCTAssertTrue(differing.isSubset(of: told), "\(label): \(differing) changed, not \(told)")
      XCTAssertTrue(told.subtracting(related).isSubset(of: differing), "\(label): \(differing) changed, not \(told)")
    }
    var arrivals = changes.insertedRows.map { ($0, now[$0.section].rows[$0.item]) }
    for move in changes.movedRows { arrivals.append((move.to, sections[move.from.section].rows[move.from.item])) }
    let departures = changes.deletedRows + changes.movedRows.map(\.from)
    XCTAssertEqual(Set(departures).count, departures.count, "\(label): a row goes twice")
    for path in departures.sorted().reversed() { sections[path.section].rows.remove(at: path.item) }
    for index in changes.deletedSections {
      XCTAssertTrue(sections[index].rows.isEmpty, "\(label): a section with rows goes")
    }
    var placed = changes.insertedSections.map { ($0, ShownSection(name: now[$0].name, rows: [])) }
    for move in changes.movedSections { placed.append((move.to, sections[move.from])) }
    let gone = changes.deletedSections + changes.movedSections.map(\.from)
    for index in gone.sorted().reversed() { sections.remove(at: index) }
    for (index, section) in placed.sorted(by: { $0.0 < $1.0 }) { sections.insert(section, at: index) }
    for (path, row) in arrivals.sorted(by: { $0.0 < $1.0 }) { sections[path.section].rows.insert(row, at: path.item) }
    for update in changes.updatedRows {
      let row = now[update.after.section].rows[update.after.item]
      sections[update.after.section].rows[update.after.item].values = row.values
    }
  }

  /// Sections in the order of their first rows.
  private static func grouped(_ rows: [Model], _ section: (Model) -> String) -> [Model] {
    var names: [String] = []
    for row in rows where !names.contains(section(row)) { names.append(section(row)) }
    return names.flatMap { name in rows.filter { section($0) == name } }
  }

  func check(_ note: String) throws {
    XCTAssertEqual(shown, sections, "\(label): changed without a batch; \(note)")
    var fetched = try list.context.fetch(list.fetch)
    if isGrouped, let section { fetched = Self.grouped(fetched, section) }
    XCTAssertEqual(sections.flatMap { $0.rows.map(\.id) }, fetched.map(\.id), "\(label): \(note)")
    if let section {
      XCTAssertEqual(
        sections.flatMap { run in run.rows.map { _ in run.name } }, fetched.map(section), "\(label): \(note)")
      XCTAssertEqual(Set(sections.map(\.name)).count, sections.count, "\(label): \(note)")
    }
    for (number, element) in fetched.enumerated() where number % 5 == 0 {
      XCTAssertEqual(list.row(for: element.id).path.flatMap(list.snapshot.index(of:)), number, "\(label): \(note)")
    }
  }
}
