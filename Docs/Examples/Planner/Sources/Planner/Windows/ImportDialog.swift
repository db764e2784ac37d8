import Reprise

/// The dialog with the text of a file, and the progress of its import.
///
/// The state has the number of saved lines. So an import that was killed continues, and makes no task twice: each task
/// has the name of its line, which is unique.
@MainActor final class ImportDialog {
  static let kind = NodeKind<ImportState, ImportDialog>("Import")
  /// The state of a node has a limit of 1 MiB.
  static let largestText = 500_000
  private static let batchSize = 100
  let node: RestorationNode<ImportState>
  private var task: Task<Void, Never>?

  init(_ node: RestorationNode<ImportState>) { self.node = node }

  var isRunning: Bool { task != nil }

  func set(_ text: String) {
    guard node.state.name == nil else { return }
    if text.utf8.count > Self.largestText {
      node.state.failure = "This text has more than \(Self.largestText) bytes. Import it in parts."
    } else {
      node.state.text = text
      node.state.failure = nil
    }
  }

  /// Starts the import, or continues it after a restart of the server.
  func start(_ store: Store, author: String, isNew: Bool, onProgress: @escaping @MainActor () -> Void) {
    guard task == nil, !node.state.isDone, isNew || node.state.name != nil else { return }
    let lines: [ImportLine]
    do {
      lines = try ImportLine.lines(of: node.state.text)
    } catch {
      node.state.failure = "\(error)"
      return
    }
    let name = node.state.name ?? "\(UniqueID())"
    node.state.name = name
    node.state.failure = nil
    let rest = Array(lines.dropFirst(node.state.saved))
    task = Task { [weak self] in
      do {
        for start in stride(from: 0, to: rest.count, by: Self.batchSize) {
          try Task.checkCancellation()
          let batch = Array(rest[start..<min(start + Self.batchSize, rest.count)])
          try await Self.save(batch, of: name, in: store, author: author)
          guard let self else { return }
          node.state.saved += batch.count
          onProgress()
        }
        self?.node.state.isDone = true
      } catch is CancellationError {
        // The window has ended, and continues the import when it is restored. Or its dialog is closed.
      } catch {
        self?.node.state.failure = "\(error)"
      }
      self?.task = nil
      onProgress()
    }
  }

  func stop() { task?.cancel() }

  private nonisolated static func save(
    _ lines: [ImportLine], of name: String, in store: Store, author: String
  ) async throws {
    try await store.write("Import", author: author) { context in
      for line in lines {
        let source = "\(name):\(line.number)"
        if try context.exists(Fetch<Todo> { $0.importedFrom == source }) { continue }
        let todo = context.insert(Todo(title: line.title))
        todo.due = line.due
        todo.notes = line.notes
        todo.importedFrom = source
        if !line.project.isEmpty {
          todo.project = try context.object(named: line.project)
        }
      }
    }
  }
}
