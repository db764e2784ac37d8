import RepriseCore

/// Compares the answers of a data source with each other. Each result is `nil`, or the defect.
struct SourceExamination<Source: DataSource> {
  private let source: Source

  init(_ source: Source) { self.source = source }

  private var paths: [RowPath] {
    (0..<max(0, source.sectionCount)).flatMap { section in
      (0..<max(0, source.rowCount(inSection: section))).map { RowPath(section: section, item: $0) }
    }
  }

  /// The first disagreement between sections, counts and the collection.
  var disagreement: String? {
    if source.sectionCount < 0 { return "`sectionCount` is \(source.sectionCount), but must not be negative." }
    let counts = (0..<source.sectionCount).map { source.rowCount(inSection: $0) }
    if counts.contains(where: { $0 < 0 }) {
      return "`rowCount(inSection:)` returns \(counts.min() ?? 0), but must not be negative."
    }
    let sum = counts.reduce(0, +)
    if source.rows.count != sum {
      return "the sections have \(sum) rows together, but `rows` has \(source.rows.count)."
    }
    return nil
  }

  /// The first answer for a place outside the rows.
  var answerOutOfRange: String? {
    let sectionCount = source.sectionCount
    for section in [-1, sectionCount, .max, .min] {
      if let name = source.sectionName(section) {
        return "`sectionName(_:)` returns '\(name)' instead of nil for section \(section), which does not exist."
      }
      let count = source.rowCount(inSection: section)
      if count != 0 {
        return
          "`rowCount(inSection:)` returns \(count) rows instead of none for section \(section), which does not exist."
      }
    }
    var places = [(-1, 0), (sectionCount, 0), (.max, .max), (.min, 0)]
    for section in 0..<sectionCount {
      places += [(section, -1), (section, source.rowCount(inSection: section)), (section, .max)]
    }
    for place in places {
      let path = RowPath(section: place.0, item: place.1)
      if let identifier = source.modelIdentifier(at: path) {
        return
          "`modelIdentifier(at:)` returns '\(identifier)' instead of nil for \(path.inWords), which does not exist."
      }
    }
    return nil
  }

  /// The first wrong look-up of a row, or of an earlier row that may be deleted.
  func wrongLookup(of earlier: [ModelIdentifier]) -> String? {
    let rows = paths.compactMap { path in source.modelIdentifier(at: path).map { (path: path, identifier: $0) } }
    var places: [ModelIdentifier: [RowPath]] = [:]
    for row in rows { places[row.identifier, default: []].append(row.path) }
    for (identifier, paths) in places {
      guard let found = source.row(for: identifier).path, paths.contains(found) else {
        let answer = source.row(for: identifier)
        return "\(paths[0].inWords) has the identifier '\(identifier)', but `row(for:)` returns "
          + "\(answer.path?.inWords ?? "`\(answer)`")."
      }
    }
    for identifier in earlier + [ModelIdentifier("conformance:no-such-row")] where places[identifier] == nil {
      let found = source.row(for: identifier)
      if let path = found.path {
        return "no row has the identifier '\(identifier)', but `row(for:)` returns \(path.inWords)."
      }
      if found == .deleted, !source.loadState.isLoaded {
        return "`row(for:)` returns `deleted` for '\(identifier)' while the load state is \(source.loadState). Only a "
          + "loaded source may return `deleted`."
      }
    }
    return nil
  }
}
