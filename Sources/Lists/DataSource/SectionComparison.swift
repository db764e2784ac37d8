import RepriseObjectModel

/// The sections of a list before and after a change, identified by their names.
struct SectionComparison {
  let deleted: [Int]
  let inserted: [Int]
  let moved: [ListChanges.SectionMove]

  /// `nil` if two sections of one list have the same name. O(n log n).
  init?(from old: ListSnapshot, to new: ListSnapshot) {
    if old.sections.count == new.sections.count, zip(old.sections, new.sections).allSatisfy({ $0.name == $1.name }),
      Set(old.sections.map(\.name)).count == old.sections.count
    {
      (deleted, inserted, moved) = ([], [], [])
      return
    }
    var indices: [String?: Int] = [:]
    for (index, section) in new.sections.enumerated() {
      guard indices.updateValue(index, forKey: section.name) == nil else { return nil }
    }
    var deleted: [Int] = []
    var kept: [(from: Int, to: Int)] = []
    for (index, section) in old.sections.enumerated() {
      if let there = indices.removeValue(forKey: section.name) {
        kept.append((index, there))
      } else {
        deleted.append(index)
      }
    }
    guard Set(old.sections.map(\.name)).count == old.sections.count else { return nil }
    let staying = Set(LongestIncreasing.indices(of: kept.map(\.to)))
    self.deleted = deleted
    inserted = indices.values.sorted()
    moved = kept.indices.filter { !staying.contains($0) }
      .map { ListChanges.SectionMove(from: kept[$0].from, to: kept[$0].to) }.heapSorted { $0.to < $1.to }
  }
}
