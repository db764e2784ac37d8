import Reprise
import XCTest

/// Android's SavedState: bundles, a registry, view models with a handle.
final class AndroidTests: PortingTestCase {
  struct SearchState: Codable, Sendable {
    var query = ""
    var filters: Set<String> = []
  }

  /// class SearchViewModel(private val handle: SavedStateHandle) : ViewModel()
  @MainActor final class SearchViewModel {
    static let key: RestorationKey<SearchViewModel> = "SearchViewModel"
    private let handle: RestorationNode<SearchState>
    init(_ handle: RestorationNode<SearchState>) { self.handle = handle }

    // handle.getStateFlow("query", "")
    var query: String {
      get { handle.state.query }
      set { handle.state.query = newValue }
    }
  }

  struct ListState: Codable, Sendable {
    var firstVisible = 0
  }

  @MainActor final class SearchActivity {
    static let kind = NodeKind<ListState, SearchActivity>("SearchActivity")
    let savedInstanceState: RestorationNode<ListState>
    let viewModel: SearchViewModel
    init(_ savedInstanceState: RestorationNode<ListState>, _ viewModel: SearchViewModel) {
      (self.savedInstanceState, self.viewModel) = (savedInstanceState, viewModel)
    }
  }

  private func launch(_ store: Store) async throws -> Restoration {
    let restoration = Restoration(store)
    // ViewModelProvider.Factory, with extras.createSavedStateHandle()
    try restoration.define(object: SearchViewModel.key, initial: SearchState()) { handle in SearchViewModel(handle) }
    // onCreate(savedInstanceState)
    try restoration.define(SearchActivity.kind, needs: .registered(SearchViewModel.key)) { state, viewModel in
      SearchActivity(state, viewModel)
    }
    try await restoration.restore()
    return restoration
  }

  func testProcessDeath() async throws {
    let temporary = try await makeStore()
    let restoration = try await launch(temporary.store)
    let activity = try restoration.open(SearchActivity.kind, id: "search", state: ListState())
    activity.viewModel.query = "chair"
    // onSaveInstanceState(outState)
    activity.savedInstanceState.state.firstVisible = 40

    // adb shell am kill
    let again = try await launch(temporary.relaunch())
    let restored = try XCTUnwrap(try again.screen(SearchActivity.kind, at: NodePath(["search"])))
    XCTAssertEqual(restored.viewModel.query, "chair")
    XCTAssertEqual(restored.savedInstanceState.state.firstVisible, 40)
  }

  func testATransactionThatIsTooLargeIsToldAndTheLastGoodStateStays() async throws {
    let temporary = try await makeStore()
    let restoration = try await launch(temporary.store)
    let activity = try restoration.open(SearchActivity.kind, id: "search", state: ListState())
    activity.viewModel.query = "chair"
    try restoration.save()
    // TransactionTooLargeException ends the process; here the caller is told.
    activity.viewModel.query = String(repeating: "x", count: 2 << 20)
    var problems: [RestorationError] = []
    restoration.onProblem = { problems.append($0) }
    await Task { @MainActor in }.value
    XCTAssertEqual(problems.count, 1)
    let again = try await launch(temporary.relaunch())
    XCTAssertEqual(try again.screen(SearchActivity.kind, at: NodePath(["search"]))?.viewModel.query, "chair")
  }
}
