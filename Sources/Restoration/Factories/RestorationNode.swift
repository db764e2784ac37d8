/// A place in the tree of screens, with a state that outlives the process.
///
/// The library makes a node and hands it to the factory of its screen, and the screen keeps it. Setting ``state`` marks
/// the node as changed. At the end of the turn, the node's state goes to the journal, together with the edits of that
/// turn. A state whose bytes are unchanged is not written.
public final class RestorationNode<State: Codable & Sendable> {
  /// The restoration IDs from the root to this node.
  public private(set) var path: NodePath
  /// Whether the node has left the tree.
  ///
  /// A node leaves the tree when it or an ancestor is closed, when it is made again, and when its `Restoration` ends.
  public private(set) var isClosed = false
  /// The state to restore, at most 1 MiB encoded.
  ///
  /// Keep large values in the store, and their IDs in the state. If you set the state of a closed node, the new value
  /// is lost, and ``Restoration/onProblem`` receives ``RestorationError/closed(_:)``.
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
  /// The entry of this node in the tree. While there is an editor, the tree retains the entry, or reports by
  /// ``moved(to:)`` that the node has left. So the reference is neither weak nor checked. A weak one would cost more
  /// than the rest of the node.
  @exclusivity(unchecked) private unowned(unsafe) var place: NodeEntry?
  /// The registered object whose state this is.
  private weak var object: (any StateOwner)?

  var entry: NodeEntry? { editor == nil ? nil : place }

  init(_ state: State, unknown: UnknownKeys?, path: NodePath) {
    current = state
    self.unknown = unknown
    self.path = path
  }

  /// Makes a node with an encoded state.
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

  /// Closes the node and all nodes below it: removes them from the tree and the archive, and releases their screens.
  ///
  /// Drafts of their contexts stay, because only a save or a discard ends an edit. Within a
  /// ``Restoration/handOver(_:)``, the node is closed when that has finished. A registered object's node has no place
  /// in the tree, so this call does nothing there.
  public func close() {
    guard let editor, let entry else { return }
    editor.close(entry)
  }

  /// The IDs of the visible children, the frontmost first, or empty if all children are visible.
  ///
  /// For example, a split view lists its panes, or the tab in front and the sidebar. Initially, the list is empty.
  ///
  /// At the next launch, restore makes only the visible children, and below each of them only its visible children. The
  /// other children are made on request, for example by ``Restoration/screen(_:at:)``. IDs without a child are ignored.
  /// If no ID has a child, all children are visible. When a child is renamed, its ID in this list follows. For the
  /// roots of a scene, use ``Restoration/setVisibleChildren(_:of:)``. A registered object's node has no children.
  public var visibleChildren: [String] {
    get { entry.map { Selection.ids($0.selection) } ?? [] }
    set {
      if isClosed { editor?.scene.onProblem?(.closed(path)) }
      guard let editor, let entry else { return }
      editor.select(newValue, in: entry)
    }
  }

  /// The first ID of ``visibleChildren``, which names the frontmost child, or `nil` if that list is empty. It is the ID
  /// that was set, even if no child has it.
  ///
  /// Setting it makes that child the only visible one. Use it for a container that shows one child at a time, such as
  /// tabs or a stack. Initially, it is `nil`.
  public var selection: String? {
    get { visibleChildren.first }
    set { visibleChildren = newValue.map { [$0] } ?? [] }
  }

  /// Moves the node among its siblings, to this index of ``Restoration/children(of:)``.
  ///
  /// If the node is already at this index, nothing happens. A move writes one record, however many siblings there are.
  /// After many moves to the same place, one move also rewrites the records of the nodes moved there. Takes O(siblings)
  /// time.
  ///
  /// - Throws: ``RestorationError/impossibleMove(_:reason:)`` if the index is negative or beyond the last one.
  ///   ``RestorationError/noSuchNode(_:)`` if the node was closed, or belongs to a registered object.
  public func move(to index: Int) throws {
    guard let editor, let entry else { throw RestorationError.noSuchNode(path) }
    try editor.move(entry, to: index)
  }

  /// Moves the node, and all nodes below it, to another place in the tree.
  ///
  /// Under a new parent, the node becomes the last child. If you only rename it, it keeps its place among its siblings.
  /// Drafts keep their IDs. A node at the new path that could not be restored is closed. Takes time in proportion to
  /// the number of nodes moved.
  ///
  /// - Parameters:
  ///   - id: The new ID. `nil` keeps the ID.
  ///   - parent: The node to move under, which must be live or deferred. `nil` makes the node a root.
  /// - Throws: ``RestorationError``, and nothing is moved: ``RestorationError/invalidID(_:reason:)``, or
  ///   ``RestorationError/noSuchNode(_:)`` if this node or the parent does not exist.
  ///   ``RestorationError/duplicate(id:first:second:)`` if a live or deferred node is at the new path. Close or move
  ///   that node first, or use ``Restoration/handOver(_:)``. ``RestorationError/impossibleMove(_:reason:)`` if the
  ///   parent is below this node, if a node below this one is unreadable or would have too long a path, or if the move
  ///   would separate a context from its parent. ``RestorationError/store(_:)`` if the archive cannot be read.
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
