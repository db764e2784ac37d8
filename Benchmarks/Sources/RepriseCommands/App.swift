import RepriseCore
import Workload

/// The program that is killed and comes back: its store, its screens and its editor. Every launch is the same.
@MainActor final class App<Item: BenchmarkItem> {
  static var draft: String { "item-editor" }

  let store: Store
  let context: RootContext
  let restoration: Restoration
  private(set) var screens: [Screen?] = Array(repeating: nil, count: Bench.screens)

  init(_ store: Store) {
    self.store = store
    context = store.mainContext
    restoration = Restoration(store)
  }

  /// The tree of screens, each with its state.
  func restoreScreens() async throws {
    try restoration.define(Screen.kind) { [unowned self] node in
      let screen = Screen(node)
      guard let number = Int(node.path.id), screens.indices.contains(number) else { return nil }
      screens[number] = screen
      return screen
    }
    try await restoration.restore()
  }

  /// The objects that the first screens have selected.
  var visibleIDs: [Item.ID] {
    screens.prefix(Bench.rows).compactMap { $0?.node.state.selection.flatMap { Item.ID($0) } }
  }

  func visibleRows() throws -> [ItemFacts] { try visibleIDs.map { try context.object($0).facts } }

  /// The place of an object in the list ordered by date: how a scroll position is restored.
  func rank(of id: Item.ID) throws -> Int {
    let list = try FetchedList(Item.byDate, in: context)
    return list.row(for: id).path.flatMap { list.snapshot.index(of: $0) } ?? -1
  }

  /// The editor with the edits that were not saved, and the rows as it shows them.
  func editedRows() throws -> [ItemFacts] {
    let editor = try context.makeChild(draft: Self.draft)
    return try visibleIDs.map { try editor.object($0).facts }
  }

  func screenFacts() -> [(title: String, offset: Double)] {
    screens.compactMap { $0.map { ($0.node.state.title, $0.node.state.offset) } }
  }
}
