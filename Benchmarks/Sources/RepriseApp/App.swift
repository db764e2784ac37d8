public import RepriseCore
import Workload

/// The program that is killed and comes back: its store, its screens and its editor. Every launch is the same.
@MainActor public final class App<Item: RestorableItem> {
  public static var draft: String { "item-editor" }

  public let store: Store
  public let context: RootContext
  public let restoration: Restoration
  private(set) var screens: [Screen?] = Array(repeating: nil, count: Bench.screens)

  public init(_ store: Store) {
    self.store = store
    context = store.mainContext
    restoration = Restoration(store)
  }

  /// The tree of screens, each with its state.
  public func restoreScreens() async throws {
    try restoration.define(Screen.kind) { [unowned self] node in
      let screen = Screen(node)
      guard let number = Int(node.path.id), screens.indices.contains(number) else { return nil }
      screens[number] = screen
      return screen
    }
    try await restoration.restore()
  }

  /// The objects that the first screens have selected.
  private(set) lazy var visibleIDs: [Item.ID] = {
    var ids: [Item.ID] = []
    for number in 0..<Bench.rows {
      if let id = screens[number]?.node.state.selection, let own = Item.ID(id) { ids.append(own) }
    }
    return ids
  }()

  /// What the list and the editor show, and so hold.
  private var shown: [Item] = []

  func visibleRows() throws -> [ItemFacts] { try rows(in: context) }

  private func rows(in context: ObjectContext) throws -> [ItemFacts] {
    let items = try visibleIDs.map { try context.object($0) }
    // Not `+=`, which looks for conformances of the array's type: in a program that is not generic it does not.
    for item in items { shown.append(item) }
    return items.map(\.facts)
  }

  /// The place of an object in the list ordered by date: how a scroll position is restored.
  func rank(of id: Item.ID) throws -> Int {
    let list = try FetchedList(Item.byDate, in: context)
    return list.row(for: id).path.flatMap { list.snapshot.index(of: $0) } ?? -1
  }

  /// The editor with the edits that were not saved, and the rows as it shows them.
  func editedRows() throws -> [ItemFacts] {
    let editor = try context.makeChild(draft: Self.draft)
    return try rows(in: editor)
  }

  func screenFacts() -> [(title: String, offset: Double)] {
    var facts: [(title: String, offset: Double)] = []
    facts.reserveCapacity(Bench.screens)
    for case let screen? in screens { facts.append((screen.node.state.title, screen.node.state.offset)) }
    return facts
  }
}
