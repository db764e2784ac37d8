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
          todo.project = try context.upsert(by: \Project.name) { [$0.name.set(to: line.project)] }.object
        }
      }
    }
  }
}

/// A line of a CSV file with the columns `title`, `due`, `project` and `notes`.
struct ImportLine: Equatable, Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let number: Int
  var title = ""
  var due = ""
  var project = ""
  var notes = ""

  static func lines(of text: String) throws -> [ImportLine] {
    let rows = try CSV.rows(of: text)
    guard let header = rows.first else { throw Failure(description: "There is no line.") }
    let columns = header.map { $0.trimmed.lowercased() }
    guard columns.contains("title") else {
      throw Failure(description: "The first line must name the columns: title, due, project, notes.")
    }
    return try rows.enumerated().dropFirst().map { number, row in
      var line = ImportLine(number: number + 1)
      for (column, value) in zip(columns, row) {
        switch column {
        case "title": line.title = value.trimmed
        case "due": line.due = value.trimmed
        case "project": line.project = value.trimmed
        case "notes": line.notes = value
        default: break
        }
      }
      if line.title.isEmpty { throw Failure(description: "Row \(number + 1) has no title.") }
      if !line.due.isEmpty, !Day.isDay(line.due) {
        throw Failure(description: "Row \(number + 1): '\(line.due)' is not a day such as 2026-11-29.")
      }
      return line
    }
  }
}

/// The rows of a text with commas, by RFC 4180: quotes enclose commas, line ends and doubled quotes.
enum CSV {
  static func rows(of text: String) throws -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    var characters = text.makeIterator()
    var next = characters.next()
    func endRow() {
      row.append(field)
      field = ""
      if row != [""] { rows.append(row) }
      row = []
    }
    while let character = next {
      next = characters.next()
      if isQuoted {
        if character != "\"" {
          field.append(character)
        } else if next == "\"" {
          field.append("\"")
          next = characters.next()
        } else {
          isQuoted = false
        }
      } else if character == "\"", field.isEmpty {
        isQuoted = true
      } else if character == "," {
        row.append(field)
        field = ""
      } else if character.isNewline {
        endRow()
      } else {
        field.append(character)
      }
    }
    if isQuoted { throw ImportLine.Failure(description: "Row \(rows.count + 1) has a quote without an end.") }
    endRow()
    return rows
  }
}
