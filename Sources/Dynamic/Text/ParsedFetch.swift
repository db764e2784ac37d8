import RepriseObjectModel
import RepriseQuery

/// The contents of a text: a fetch without the type of its model.
struct ParsedFetch: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    let term: Term
    let isAscending: Bool
    let nils: NilOrder
  }

  struct Section: Hashable, Sendable {
    let term: Term
    let function: SectionFunction
    let rule: String?
  }

  /// Empty if the text begins with a clause.
  var entity = ""
  var steps: [Step] = [.constant(true)]
  var keys: [Key] = []
  var section: Section?
  var limit: Int?
  var offset = 0
  var moment: FetchMoment?
}

extension ParsedFetch {
  init<Model>(_ fetch: Fetch<Model>, at moment: FetchMoment?) {
    entity = Model.entity.name
    steps = fetch.condition.steps
    keys = fetch.sortKeys.map { Key(term: $0.term, isAscending: $0.isAscending, nils: $0.nils) }
    section = fetch.section.map { Section(term: $0.term, function: $0.function, rule: $0.rule?.name) }
    limit = fetch.limit
    offset = fetch.offset
    self.moment = moment
  }

  func fetch<Model>() -> Fetch<Model> {
    var fetch = Fetch<Model>()
    fetch.condition = Condition(steps: steps)
    fetch.sortKeys = keys.map { SortKey(term: $0.term, isAscending: $0.isAscending, nils: $0.nils) }
    fetch.section = section.map { section in
      SectionKey(
        term: section.term, function: section.function,
        rule: section.rule.map { StoredSectionRule(name: $0, section: nil) })
    }
    fetch.limit = limit
    fetch.offset = offset
    return fetch
  }
}
