import Browser
import Foundation
import Inspected
import RepriseCore

/// A store of notes in a folder for temporary files. The folder disappears with this object.
@MainActor final class Notes {
  let path = NSTemporaryDirectory() + "reprise-notes-\(UInt32.random(in: 0 ... .max))"
  let store: Store

  init() async throws {
    store = try await Store.open(path, for: Note.self, Folder.self, Picture.self, Hostile.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Saves in a context of its own, as another person does.
  ///
  /// - Returns: The number of the transaction.
  @discardableResult
  func save(_ name: String, by author: String = "ada", _ change: (RootContext) throws -> Void) async throws -> Int {
    let context = RootContext(store, author: author)
    try change(context)
    let position = try await context.save(name)
    return Int("\(position)".filter(\.isNumber)) ?? 0
  }

  /// The only note with a title, in a context.
  func note(_ title: String, in context: RootContext) throws -> Note {
    guard let note = try context.fetch(Fetch<Note>().filter { $0.title == title }).first else {
      throw Chromium.Failure(description: "The store has no note '\(title)'.")
    }
    return note
  }
}
