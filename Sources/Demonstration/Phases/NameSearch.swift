#if Macros
import RepriseCore

/// Members searched by name, letter by letter as in a field above their list.
@MainActor struct NameSearch {
  private static let typed = ["j", "jo", "john", "john s", "VELAZ", "mc", "van h", "o'", "", "nobody so named"]

  /// Compares what the search indexes find with a look at every name. Returns the number of searches, and of the
  /// members that all of them found.
  static func compare(in context: ObjectContext) throws -> (searches: Int, found: Int) {
    let members = try context.fetch(Fetch<Legislator>())
    var found = 0
    for text in typed {
      let fields = Legislator.Fields(.root)
      let condition =
        fields.officialName.contains(words: text, .whileTyping) || fields.lastName.contains(words: text, .whileTyping)
      let ids = try Set(context.fetchIDs(Fetch<Legislator> { _ in condition }))
      let expected = try Set(members.filter { try condition.holds(for: $0) }.map(\.id))
      guard ids == expected else {
        throw DemoError.differs("A search for '\(text)' finds \(ids.count) members, and \(expected.count) have it.")
      }
      found += ids.count
    }
    return (typed.count, found)
  }
}
#endif
