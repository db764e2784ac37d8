// A response that is written while the store is read, with the types of Hummingbird: the writer is neither sendable nor
// copied, and its methods leave the caller's isolation.
import Reprise

protocol BodyWriter {
  mutating func write(_ bytes: [UInt8]) async throws
  consuming func finish() async throws
}

struct Body: Sendable {
  init(_ write: @escaping @Sendable (inout any BodyWriter) async throws -> Void) {}
}

@Model final class Note {
  var title: String = ""
}

func response(_ store: Store) -> Body {
  Body { writer in
    try await store.read { context in
      for note in try context.fetch(Fetch<Note>().sorted { $0.title }) {
        try await writer.write(Array(note.title.utf8))
      }
    }
    try await writer.finish()
  }
}

@MainActor final class NoteCounter {
  var count = 0
  var limit = 10

  func update(_ store: Store) async throws {
    count = try await store.read { context in
      limit += 1
      return try context.count(Fetch<Note>())
    }
  }
}

actor NoteTitles {
  var titles: [String] = []

  func update(_ store: Store) async throws {
    try await store.read { context in titles = try context.fetch(Fetch<Note>()).map { $0.title } }
  }
}
