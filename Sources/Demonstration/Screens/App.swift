#if Macros
import RepriseCore

/// The program that is killed and comes back: its store, its screens, and how they are made. Every launch is the same.
@MainActor final class App {
  enum Keys {
    static let root: RestorationKey<RootContext> = "root"
    static let members: RestorationKey<FetchedList<Legislator>> = "members"
  }

  let store: Store
  let root: RootContext
  let report: RestorationReport
  /// How long opening the store, and restoring the screens, took.
  let times: (open: Duration, restore: Duration)
  private let restoration: Restoration

  private init(
    _ store: Store, _ root: RootContext, _ restoration: Restoration, _ report: RestorationReport,
    _ times: (open: Duration, restore: Duration)
  ) {
    self.store = store
    self.root = root
    self.restoration = restoration
    self.report = report
    self.times = times
  }

  static func launch(_ path: String) async throws -> App {
    let clock = ContinuousClock()
    let began = clock.now
    let store = try await Store.open(path, for: Congress.schema)
    let opened = clock.now
    let root = try RootContext(store, author: "ada", draft: "main")
    let restoration = Restoration(store)
    try restoration.register(root, as: Keys.root)
    let members = try FetchedList(
      Fetch<Legislator>().sorted { $0.lastName.ascending }.sectioned { $0.lastName.firstCharacter() }, in: root)
    try restoration.register(members, as: Keys.members)
    try restoration.define(MemberList.kind, needs: .registered(Keys.members)) { node, members in
      MemberList(node, members)
    }
    try restoration.define(MemberDetail.kind, needs: .registered(Keys.root)) { node, root in
      MemberDetail(node, try root.object(node.state.member))
    }
    try restoration.define(MemberEditor.kind, needs: .ownContext(childOf: .registered(Keys.root))) { node, editing in
      try MemberEditor(node, editing)
    }
    try restoration.define(TermEditor.kind, needs: .ownContext(childOf: .nearestAncestorNode)) { node, editing in
      try TermEditor(node, editing)
    }
    let ready = clock.now
    let report = try await restoration.restore()
    let restored = clock.now
    restoration.flushOnTermination()
    return App(store, root, restoration, report, (opened - began, restored - ready))
  }

  // MARK: Screens

  private static func path(_ ids: String...) throws -> NodePath { try NodePath(ids) }

  func list() throws -> MemberList? { try restoration.screen(MemberList.kind, at: Self.path("list")) }
  func detail() throws -> MemberDetail? { try restoration.screen(MemberDetail.kind, at: Self.path("list", "detail")) }
  func editor() throws -> MemberEditor? {
    try restoration.screen(MemberEditor.kind, at: Self.path("list", "detail", "editor"))
  }
  func termEditor() throws -> TermEditor? {
    try restoration.screen(TermEditor.kind, at: Self.path("list", "detail", "editor", "term"))
  }

  func openList() throws -> MemberList {
    try restoration.open(MemberList.kind, id: "list", state: MemberListState())
  }
  func openDetail(of member: Legislator) throws -> MemberDetail {
    let state = MemberDetailState(member: member.id)
    return try restoration.open(MemberDetail.kind, id: "detail", under: Self.path("list"), state: state)
  }
  func openEditor(of member: Legislator) throws -> MemberEditor {
    let caret = member.nickname?.count ?? 0
    let state = MemberEditorState(member: member.id, caret: caret)
    return try restoration.open(MemberEditor.kind, id: "editor", under: Self.path("list", "detail"), state: state)
  }
  func openEditor(of term: Term) throws -> TermEditor {
    let state = TermEditorState(term: term.id)
    let parent = try Self.path("list", "detail", "editor")
    return try restoration.open(TermEditor.kind, id: "term", under: parent, state: state)
  }

  /// Everything that is on the screen, the lowest screen first.
  func drawn() throws -> [String] {
    let screens: [(any Screen)?] = [try list(), try detail(), try editor(), try termEditor()]
    return screens.flatMap { screen in screen.map { $0.drawn() } ?? [] }
  }
}
#endif
