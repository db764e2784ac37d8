import Foundation
import RepriseCore
import Songs

/// A store that this process has open: a song by ada, and its renaming.
@MainActor
struct SongStore {
  let path = NSTemporaryDirectory() + "reprise-command-\(UUID().uuidString)"
  let store: Store

  init() async throws {
    store = try await Store.open(path, for: Song.self)
    let context = RootContext(store, author: "ada")
    context.insert(Song(title: "One \u{1B}[31m"))
    try await context.save("Add a song")
    try await rename(to: "Two")
  }

  func rename(to title: String) async throws {
    let context = RootContext(store, author: "ada")
    try await context.fetch(Fetch<Song>())[0].set("title", to: .string(title))
    try await context.save("Rename it")
  }

  var title: String { get throws { try RootContext(store).fetch(Fetch<Song>())[0].title } }

  func remove() async throws {
    try await store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}
