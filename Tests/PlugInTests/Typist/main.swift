import Foundation
import Inspected
import RepriseCore

// A program whose user types into a draft and saves nothing. The words are the store and the draft. It prints a line
// once the journal has the edits, and then waits until somebody kills it.

let words = CommandLine.arguments
guard words.count == 3 else {
  FileHandle.standardError.write(Data("Typist STORE DRAFT\n".utf8))
  exit(2)
}
let store = try await Store.open(words[1], for: Note.self, Folder.self)
let editor = try RootContext(store, author: "ben").makeChild(draft: words[2])
let note = try editor.fetch(Fetch<Note>().sorted { $0.title })[0]
note.title = "Typed, and never saved"
// The journal writes within 250 ms.
while try store.drafts.all().first?.preview.isEmpty != false { try await Task.sleep(for: .milliseconds(20)) }
FileHandle.standardOutput.write(Data("typed\n".utf8))
while true { try await Task.sleep(for: .seconds(60)) }
