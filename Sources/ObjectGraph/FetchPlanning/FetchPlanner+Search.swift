import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension FetchPlanner {
  /// The plan of a search for whole words with a limit, in order of creation or in any order. It ends with the last
  /// requested row. The walk itself finds the rarest word, so no counts are needed. `nil` for any other fetch.
  func search(_ wanted: Int) -> FetchPlan? {
    guard !fetch.isSorted, case .search(_, let words) = fetch.access, !words.contains(where: \.isPrefix) else {
      return nil
    }
    return FetchPlan(
      path: fetch.access, walk: .along(isAscending: true), order: .whole, expected: min(wanted, all))
  }

  /// The ranges of a search that are worth walking. Its other words are tested object by object.
  ///
  /// While a user types a word, its first letters are in almost every text: the prefix "t" has more rows than there are
  /// texts.
  func search(_ slot: Int, _ words: [WordRange], _ wanted: Int?) throws(StoreError) -> Candidates {
    let (rows, matching) = try counts.search(slot, words)
    // All rows of a prefix are read and sorted. The walk skips rows of a whole word between two rows of a rarer range,
    // and stops at the limit.
    let isEarly = !fetch.isSorted && wanted != nil
    let share = isEarly ? min(1, Double(wanted ?? 0) / Double(max(1, matching))) : 1
    func cost(_ place: Int, beside left: Int) -> Int {
      words[place].isPrefix ? rows[place].saturating(times: 2) : Int(Double(min(rows[place], left)) * share)
    }
    var rest = words.indices.sorted { cost($0, beside: .max) < cost($1, beside: .max) }[...]
    guard let first = rest.popFirst() else { return Candidates(path: .scan, count: all) }
    var kept = [first]
    var left = min(all, rows[first])
    var walking = cost(first, beside: .max)
    for place in rest {
      let both = Int((Double(left) * min(1, Double(rows[place]) / Double(max(1, all)))).rounded(.up))
      let spared = Int(Double(left - both) * share).saturating(times: Cost.lookUp + Cost.words)
      let cost = cost(place, beside: left)
      guard spared > cost else { continue }
      kept.append(place)
      left = both
      walking = walking.saturating(plus: cost)
    }
    // In the order of the path, so that a plan with all ranges equals the path and is recognised as exact.
    return Candidates(
      path: .search(slot: slot, kept.sorted().map { words[$0] }), count: left, walking: walking)
  }
}

extension AccessPath {
  /// Whether the path uses a search index.
  var searches: Bool {
    switch self {
    case .search: true
    case .scan, .objects, .index, .inverse: false
    case .through(_, _, let inner), .referred(_, _, let inner): inner.searches
    case .union(let parts), .intersection(let parts): parts.contains { $0.searches }
    }
  }
}
