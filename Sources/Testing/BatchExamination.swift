import RepriseCore

/// Checks the form of a batch: each place exists, the places are in order, and each is named once.
struct BatchExamination {
  private let batch: ListBatch
  private let changes: ListChanges

  init(_ batch: ListBatch, _ changes: ListChanges) {
    self.batch = batch
    self.changes = changes
  }

  /// The defect. `nil` if there is none.
  var disorder: String? {
    let before = batch.before
    let after = batch.after
    let oldSections = changes.deletedSections + changes.movedSections.map(\.from)
    let newSections = changes.insertedSections + changes.movedSections.map(\.to)
    let departures = changes.deletedRows + changes.movedRows.map(\.from)
    let arrivals = changes.insertedRows + changes.movedRows.map(\.to)
    let updates = changes.updatedRows
    guard oldSections.allSatisfy(before.sections.indices.contains), Set(oldSections).count == oldSections.count,
      newSections.allSatisfy(after.sections.indices.contains), Set(newSections).count == newSections.count
    else { return "the changes name a section that does not exist, or name a section twice." }
    guard departures.allSatisfy(before.contains), Set(departures).count == departures.count,
      arrivals.allSatisfy(after.contains), Set(arrivals).count == arrivals.count,
      updates.allSatisfy({ before.contains($0.before) && after.contains($0.after) }),
      Set(updates.map(\.after)).count == updates.count
    else { return "the changes name a row that does not exist, or name a row twice." }
    guard Self.ascend(changes.deletedSections), Self.ascend(changes.insertedSections),
      Self.ascend(changes.movedSections.map(\.to)), Self.ascend(changes.deletedRows),
      Self.ascend(changes.insertedRows), Self.ascend(changes.movedRows.map(\.to)), Self.ascend(updates.map(\.after))
    else { return "a list of changes, such as `insertedRows`, is not sorted by section and item." }
    return sizes
  }

  /// Checks that insertions and deletions explain the new size of each section.
  private var sizes: String? {
    var counts = batch.before.sections.map(\.rowCount)
    for path in changes.deletedRows + changes.movedRows.map(\.from) { counts[path.section] -= 1 }
    for section in changes.deletedSections where counts[section] != 0 {
      return "section \(section) is deleted, and its rows are neither deleted nor moved."
    }
    var sections = counts.map { [Int](repeating: 0, count: $0) }
    let empty = ListBatch(
      before: ListSnapshot(counts.enumerated().map { .init(name: batch.before.sections[$0].name, rowCount: $1) }),
      after: batch.after,
      changes: ListChanges(
        deletedSections: changes.deletedSections, insertedSections: changes.insertedSections,
        movedSections: changes.movedSections))
    let coming = changes.insertedRows + changes.movedRows.map(\.to)
    let sectionCount = counts.count - changes.deletedSections.count + changes.insertedSections.count
    guard sectionCount == batch.after.sections.count else {
      return "applied to `before`, the changes give \(sectionCount) sections, but `after` has "
        + "\(batch.after.sections.count)."
    }
    empty.apply(to: &sections) { _ in 0 }
    var after = sections.map(\.count)
    for path in coming { after[path.section] += 1 }
    return after == batch.after.sections.map(\.rowCount)
      ? nil : "applied to `before`, the changes do not give the row counts in `after`."
  }

  private static func ascend<Place: Comparable>(_ places: [Place]) -> Bool {
    zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
  }
}
