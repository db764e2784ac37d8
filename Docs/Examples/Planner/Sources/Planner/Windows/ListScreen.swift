import Reprise

/// The list of tasks. It needs no memory for its rows, as an index covers its order.
@MainActor final class ListScreen {
  static let kind = NodeKind<ListState, ListScreen>("List")
  let node: RestorationNode<ListState>
  let list: FetchedList<Todo>
  private var observation: ListObservation?

  init(_ node: RestorationNode<ListState>, _ context: RootContext) throws {
    self.node = node
    list = try FetchedList(Self.fetch(node.state), in: context, showing: { $0.project.name })
  }

  func onChange(_ body: @escaping () -> Void) { observation = list.observe { _ in body() } }

  /// Shows other tasks, from the first one.
  func show(_ change: (inout ListState) -> Void) throws {
    var state = node.state
    change(&state)
    state.anchor = nil
    state.offset = 0
    try list.setFetch(Self.fetch(state))
    node.state = state
  }

  func scroll(to row: Int, offset: Int) {
    guard let path = list.path(ofRow: row) else { return }
    node.state.anchor = RowAnchor(path, in: list)
    node.state.offset = offset
  }

  /// The number of the first visible row, and how much of it is scrolled away.
  var top: (row: Int, offset: Int) {
    switch node.state.anchor?.place(in: list) {
    case .row(let path): (list.number(ofRowAt: path), node.state.offset)
    case .near(let path, _): (list.number(ofRowAt: path), 0)
    default: (0, 0)
    }
  }

  private static func fetch(_ state: ListState) -> Fetch<Todo> {
    let hasWords = Condition<Todo> { todo in
      if !state.words.trimmed.isEmpty { todo.title.contains(words: state.words, .whileTyping) }
    }
    let isInProject = Condition<Todo> { todo in if let project = state.project { todo.project == project } }
    return Fetch<Todo> { $0.isDone == state.showsDone && hasWords && isInProject }
      .sorted { [$0.due, $0.title] }.sectioned { $0.due }
  }
}

extension FetchedList {
  /// The number of a row, counted over all sections.
  func number(ofRowAt path: RowPath) -> Int {
    (0..<path.section).reduce(path.item) { $0 + rowCount(inSection: $1) }
  }

  func path(ofRow number: Int) -> RowPath? {
    var rest = number
    for section in 0..<sectionCount {
      let count = rowCount(inSection: section)
      if rest < count { return rest < 0 ? nil : RowPath(section: section, item: rest) }
      rest -= count
    }
    return nil
  }
}
