/// A screen's place in the tree, and what is to be restored of it.
///
/// The library makes it and hands it to the screen's factory; the screen keeps it. Setting ``state`` marks the node
/// changed: at the end of the turn its state is handed to the journal, together with the edits of that turn, if its
/// bytes differ.
@MainActor public final class RestorationNode<State: Codable & Sendable> {
  /// The restoration IDs from the root to this node.
  public private(set) var path: NodePath
  /// Whether the node is no longer in the tree: closed, by itself or with a node above it.
  public private(set) var isClosed = false
  /// What is to be restored. Small: at most 1 MiB encoded; large things belong in the store, their IDs here.
  ///
  /// A closed node keeps the state that it had: what is set is lost, and ``Restoration/onProblem`` is told.
  public var state: State {
    get { current }
    _modify {
      if isClosed {
        var lost = current
        yield &lost
        editor?.scene.onProblem?(.closed(path))
      } else {
        yield &current
        if let editor {
          if let place { place.stateChanged(of: self, in: editor.changes) }
          object?.stateChanged(of: self, in: editor.changes)
        }
      }
    }
  }

  private var current: State

  private let unknown: UnknownKeys?
  private(set) weak var editor: TreeEditor?
  /// Its place in the tree. The tree holds it for as long as there is an editor, or says that the node has left, by
  /// ``moved(to:)``: so it is neither weak nor checked, which would cost each node more than all the rest of it.
  @exclusivity(unchecked) private unowned(unsafe) var place: NodeEntry?
  /// The registered object whose state this is.
  private weak var object: (any StateOwner)?

  var entry: NodeEntry? { editor == nil ? nil : place }

  init(_ state: State, unknown: UnknownKeys?, path: NodePath) {
    current = state
    self.unknown = unknown
    self.path = path
  }

  /// With an encoded state.
  init(_ decoder: StateDecoder, _ bytes: ArraySlice<UInt8>, path: NodePath) throws(StateCodingError) {
    var unknown: UnknownKeys?
    current = try decoder.decode(State.self, from: bytes, unknown: &unknown)
    self.unknown = unknown
    self.path = path
  }

  func attach(_ entry: NodeEntry, _ editor: TreeEditor) {
    entry.node?.moved(to: nil)
    self.editor = editor
    place = entry
    entry.node = self
  }

  func attach(object: any StateOwner, _ editor: TreeEditor) {
    self.editor = editor
    self.object = object
    object.node = self
  }

  /// Takes the node and all below it out of the tree and out of the archive, and lets their screens go.
  ///
  /// Drafts of their contexts stay: what the user has done ends with a save or a discard only. The node of a registered
  /// object has no place in the tree: nothing happens.
  public func close() {
    guard let editor, let entry else { return }
    editor.close(entry)
  }

  /// The IDs of the children that are visible, the one in front first: the panes of a split view, the tab in front and
  /// the sidebar beside it. Empty, as at first, if all are visible.
  ///
  /// At the next launch only what is visible is made: these children, and below each whatever is visible there. The
  /// other children are made when somebody asks for them, with ``Restoration/screen(_:at:)`` say. IDs of which there is
  /// no child then count for nothing; if there is none at all, all are visible. They follow children that are renamed.
  /// The node of a registered object has no children. ``Restoration/setVisibleChildren(_:of:)`` says the same of the
  /// roots.
  public var visibleChildren: [String] {
    get { entry.map { Selection.ids($0.selection) } ?? [] }
    set {
      if isClosed { editor?.scene.onProblem?(.closed(path)) }
      guard let editor, let entry else { return }
      editor.select(newValue, in: entry)
    }
  }

  /// The ID of the child in front, the first of ``visibleChildren``; set, it is the only one: for a container that
  /// shows one at a time, such as tabs or a stack. `nil`, as at first, if all are visible.
  public var selection: String? {
    get { visibleChildren.first }
    set { visibleChildren = newValue.map { [$0] } ?? [] }
  }

  /// Moves the node among its siblings, to stand at this index of ``Restoration/children(of:)``. Nothing happens if it
  /// stands there.
  ///
  /// Writes one record, whatever the number of siblings; now and then, where nodes were moved to one place again and
  /// again, those of these nodes. Costs the number of siblings in time.
  ///
  /// - Throws: ``RestorationError/impossibleMove(_:reason:)`` for an index that is negative or beyond the last one;
  ///   ``RestorationError/noSuchNode(_:)`` if the node was closed, or is that of a registered object.
  public func move(to index: Int) throws {
    guard let editor, let entry else { throw RestorationError.noSuchNode(path) }
    try editor.move(entry, to: index)
  }

  /// Moves the node, and all below it, to another place in the tree: behind the nodes that are there. Renamed under the
  /// same parent, it keeps its place among its siblings.
  ///
  /// Costs the nodes moved. Drafts keep their IDs.
  ///
  /// - Parameters:
  ///   - id: The new ID; `nil` keeps it.
  ///   - parent: The node to move under; `nil` makes it a root.
  /// - Throws: ``RestorationError``, and nothing is moved: an impossible ID, no such parent, the path is in use, the
  ///   parent is below this node, the path of a node below it would be too long, or a context below it belongs to a
  ///   node that would not be above it any more.
  public func move(id: String? = nil, under parent: NodePath?) throws {
    guard let editor, let entry else { throw RestorationError.noSuchNode(path) }
    try editor.move(entry, id: id ?? path.id, under: parent)
  }
}

extension RestorationNode: NodeState {
  func encoded() throws(StateCodingError) -> [UInt8] { try StateEncoder.encode(state, keeping: unknown) }

  func takeUpState(of other: any NodeState) {
    if let other = other as? RestorationNode<State>, other !== self { current = other.current }
  }

  func moved(to path: NodePath?) {
    if let path {
      self.path = path
    } else {
      isClosed = true
      place = nil
      object = nil
    }
  }
}
