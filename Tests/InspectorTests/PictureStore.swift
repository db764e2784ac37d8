import RepriseCore
import RepriseEventStore
import RepriseJournal
import RepriseSystem
import RepriseTestJournal
import RepriseTestModels

/// The store of the manual's pictures: a small magazine, with six weeks of history by four people. All times are fixed.
@MainActor final class PictureStore {
  static let models = [Note.self, Notebook.self] as [any PersistentModel.Type]
  private let clock = MagazineClock()
  private let journalClock = VirtualClock(wall: UInt64(MagazineClock.end))
  private let store: Store
  private var notes: [String: Note.ID] = [:]

  private init(_ path: String) throws {
    var options = StoreOptions()
    let clock = clock
    options.wallClock = { clock.microseconds }
    options.journal = JournalOptions(clock: journalClock)
    store = try Store.openNow(path, for: Schema(Self.models), options)
  }

  /// Makes the store at a path, and closes it.
  static func make(at path: String) async throws {
    let pictures = try PictureStore(path)
    try await pictures.plan()
    try await pictures.write()
    try await pictures.finish()
    try await pictures.screens()
    try await pictures.store.close()
  }

  private func save(_ name: String, by author: String, after hours: Int = 5, _ change: (RootContext) throws -> Void)
    async throws
  {
    clock.advance(hours: hours)
    let context = RootContext(store, author: author)
    try change(context)
    try await context.save(name)
  }

  private func edit(
    _ title: String, _ name: String, by author: String, after hours: Int = 5, _ change: (Note) throws -> Void
  ) async throws {
    try await save(name, by: author, after: hours) { context in
      guard let id = notes[title] else { return }
      try change(context.object(id))
    }
  }

  /// The issue and its articles, one transaction for each section.
  private func plan() async throws {
    for section in Magazine.sections {
      try await save("Plan \(section.name)", by: "ana", after: 3) { context in
        let notebook = context.insert(Notebook(name: section.name))
        for (title, author) in section.articles {
          let note = context.insert(Note(title: title, body: "To be written.", rank: 3))
          note.author = author
          note.notebook = notebook
          notes[title] = note.id
        }
      }
    }
  }

  /// Each article gets a text, and some get a second one.
  private func write() async throws {
    for (index, (title, author)) in Magazine.sections.flatMap(\.articles).enumerated() {
      let opening = Magazine.openings[index % Magazine.openings.count]
      try await edit(title, "Write a first draft", by: author, after: 9) { $0.body = opening }
      if index % 2 == 0 {
        try await edit(title, "Shorten", by: "dora", after: 4) { $0.body = Magazine.shortened(opening) }
      }
      if index % 3 == 0 { try await edit(title, "Set the rank", by: "ana", after: 2) { $0.rank = 1 + index % 5 } }
    }
  }

  /// The last week, with the transactions of the pictures.
  private func finish() async throws {
    let title = "A winter under glass"
    try await edit(title, "Write the second version", by: "ben") { $0.body = Magazine.second }
    try await edit(title, "Correct the figures", by: "dora", after: 20) { $0.body = Magazine.corrected }
    try await edit(title, "Change the headline", by: "ben") { note in
      note.title = "Tomatoes in January"
      note.rank = 1
    }
    try await edit("Bees on the roof", "Raise the rank", by: "ana", after: 3) { $0.rank = 1 }
    try await edit(title, "Change the headline", by: "cem", after: 22) { $0.title = "The warm house" }
    try await save("Drop what is late", by: "ana") { context in
      for title in ["Letters", "The last ferry"] {
        if let id = notes[title] { context.delete(try context.object(id)) }
      }
    }
    try await edit("Salt, flour, water", "Correct a typing error", by: "dora") { note in
      note.body = (note.body ?? "") + " Bake it for forty minutes."
    }
  }

  /// Screens and unsaved edits, as a program leaves them that is killed.
  private func screens() async throws {
    let restoration = Restoration(store)
    try restoration.register(store.mainContext, as: "main" as RestorationKey<RootContext>)
    try restoration.define(MagazineScreen.list) { MagazineScreen($0) }
    try restoration.define(
      MagazineScreen.editor, needs: .ownContext(childOf: .registered("main" as RestorationKey<RootContext>))
    ) { node, context in
      MagazineScreen(node, context)
    }
    try await restoration.restore()
    let list = try restoration.open(MagazineScreen.list, id: "articles", state: MagazineState(scroll: 4))
    let editor = try restoration.open(
      MagazineScreen.editor, id: "editor", under: list.node.path, state: MagazineState(cursor: 31))
    if let id = notes["A winter under glass"], let context = editor.context {
      let note = try context.object(id)
      note.body = Magazine.corrected.replacing("late January", with: "mid-February")
      note.rank = 2
    }
    let letter = try store.mainContext.makeChild(draft: "letter-to-readers")
    letter.insert(Note(title: "To our readers", body: "This issue is about patience.", rank: 1))
    try await restoration.flush()
  }
}

private final class MagazineClock: Sendable {
  /// 2026-09-01 08:00 UTC.
  private let now = Guarded<Int64>(1_788_249_600_000_000)
  /// 2026-10-16 16:40 UTC.
  static let end: Int64 = 1_792_168_800_000_000

  var microseconds: Int64 { now.withLock { $0 } }
  func advance(hours: Int) { now.withLock { $0 += Int64(hours) * 3 * 3_600_000_000 + 127_000_000 } }
}
