extension ListBatch {
  /// Applies the changes to your own copy of the rows, for example to identifiers of a diffable data source.
  ///
  /// ```swift
  /// observation = list.observe { [unowned self] batch in
  ///   batch.apply(to: &rows) { path in list.element(at: path).id }
  /// }
  /// ```
  ///
  /// Takes time in proportion to the number of sections, and to the rows of sections with inserted, deleted or moved
  /// rows. For a reset, `row` is called for every row. The same happens if the array's sections and row counts differ
  /// from ``before``.
  ///
  /// - Parameters:
  ///   - sections: The rows of each section.
  ///   - row: Makes the row at a path of ``after``. Called for each inserted or updated row.
  /// - Throws: The error of `row`. The sections are then unchanged.
  public func apply<Row>(to sections: inout [[Row]], row: (RowPath) throws -> Row) rethrows {
    guard let changes, sections.map(\.count) == before.sections.map(\.rowCount) else {
      sections = try allRows(row)
      return
    }
    var arrivals = try changes.insertedRows.map { (path: $0, row: try row($0)) }
    let updates = try changes.updatedRows.map { (path: $0.after, row: try row($0.after)) }
    for move in changes.movedRows { arrivals.append((move.to, sections[move.from.section][move.from.item])) }
    arrivals.sort { $0.path < $1.path }
    let departures = (changes.deletedRows + changes.movedRows.map(\.from)).sorted()
    Self.forEachSection(of: departures, \.self) { section, departures in
      let gone = Set(departures.map(\.item))
      sections[section] = sections[section].indices.filter { !gone.contains($0) }.map { sections[section][$0] }
    }
    moveSections(changes, &sections)
    Self.forEachSection(of: arrivals, \.path) { section, arrivals in
      var rows: [Row] = []
      rows.reserveCapacity(sections[section].count + arrivals.count)
      var old = sections[section][...]
      for arrival in arrivals {
        let between = arrival.path.item - rows.count
        rows += old.prefix(between)
        old = old.dropFirst(between)
        rows.append(arrival.row)
      }
      sections[section] = rows + old
    }
    for (path, row) in updates { sections[path.section][path.item] = row }
  }

  /// Removes the deleted sections and inserts the new ones.
  private func moveSections<Row>(_ changes: ListChanges, _ sections: inout [[Row]]) {
    var arrivals = changes.insertedSections.map { (index: $0, rows: [Row]()) }
    for move in changes.movedSections { arrivals.append((move.to, sections[move.from])) }
    let departures = changes.deletedSections + changes.movedSections.map(\.from)
    for section in departures.sorted().reversed() { sections.remove(at: section) }
    for arrival in arrivals.sorted(by: { $0.index < $1.index }) { sections.insert(arrival.rows, at: arrival.index) }
  }

  private func allRows<Row>(_ row: (RowPath) throws -> Row) rethrows -> [[Row]] {
    try after.sections.indices.map { section in
      try (0..<after.sections[section].rowCount).map { try row(RowPath(section: section, item: $0)) }
    }
  }

  /// Calls `body` with each run of elements in the same section. They are in order.
  private static func forEachSection<Element>(
    of elements: [Element], _ path: (Element) -> RowPath, _ body: (Int, ArraySlice<Element>) -> Void
  ) {
    var rest = elements[...]
    while let first = rest.first {
      let section = path(first).section
      let run = rest.prefix { path($0).section == section }
      body(section, run)
      rest = rest.dropFirst(run.count)
    }
  }
}
