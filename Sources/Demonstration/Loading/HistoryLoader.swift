#if Macros
import RepriseCore

/// Turns the history's transactions into transactions of a store.
@MainActor final class HistoryLoader {
  private let context: RootContext
  /// By entity.
  let loaders: [String: any EntityLoading]
  private let waiting: () -> Int
  private(set) var operationCount = 0
  /// The highest number of dangling references after any transaction.
  private(set) var mostDangling = 0

  init(_ store: Store) {
    let context = RootContext(store, author: "congress", name: "history")
    let legislators = EntityLoader<Legislator>(context)
    let terms = EntityLoader<Term>(context)
    let accounts = EntityLoader<SocialAccount>(context)
    let committees = EntityLoader<Committee>(context)
    let memberships = EntityLoader<Membership>(context)
    self.context = context
    loaders = [
      "Legislator": legislators, "Term": terms, "SocialAccount": accounts, "Committee": committees,
      "Membership": memberships,
    ]
    let links = [
      LateLinks(
        terms, to: legislators, key: { $0.legislatorKey }, link: \.legislator, back: { Array($0.terms) }
      ).counter,
      LateLinks(
        accounts, to: legislators, key: { $0.legislatorKey }, link: \.legislator,
        back: { $0.socialAccount.map { [$0] } ?? [] }
      ).counter,
      LateLinks(
        committees, to: committees, key: { $0.parentKey }, link: \.parent, back: { Array($0.subcommittees) }
      ).counter,
      LateLinks(
        memberships, to: committees, key: { $0.committeeKey }, link: \.committee, back: { Array($0.memberships) }
      ).counter,
      LateLinks(
        memberships, to: legislators, key: { $0.legislatorKey }, link: \.legislator, back: { Array($0.memberships) }
      ).counter,
    ]
    waiting = { links.reduce(0) { $0 + $1() } }
  }

  /// The number of dangling references.
  var dangling: Int { waiting() }

  /// Saves one transaction of the history as a transaction of the store.
  func apply(_ transaction: HistoryTransaction) async throws {
    for operation in transaction.operations {
      switch operation {
      case .insert(let entity, let key, let attributes): try loader(entity).insert(key, attributes)
      case .update(let entity, let key, let set, let unset): try loader(entity).update(key, set, unset: unset)
      case .delete(let entity, let key): try loader(entity).delete(key)
      }
    }
    operationCount += transaction.operations.count
    mostDangling = max(mostDangling, dangling)
    try await context.save("\(transaction.time.prefix(10)) \(transaction.revision)")
  }

  private func loader(_ entity: String) throws(DemoError) -> any EntityLoading {
    guard let loader = loaders[entity] else { throw .data("The history has a '\(entity)': there is no such model.") }
    return loader
  }
}
#endif
