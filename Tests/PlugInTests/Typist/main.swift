import Foundation
import Inspected
import RepriseCore

// A program whose user types into a draft and saves nothing. The words are the store, the draft and perhaps the text.
// With a text, the program also has two screens, whose states contain it. It prints a line once the journal has the
// edits, and then waits until somebody kills it. Without a text, it types numbers until then, and prints each number
// that the journal has.

let words = CommandLine.arguments
guard 3...4 ~= words.count else {
  FileHandle.standardError.write(Data("Typist STORE DRAFT [TEXT]\n".utf8))
  exit(2)
}
let store = try await Store.open(words[1], for: Note.self, Folder.self)
let editor = try RootContext(store, author: "ben").makeChild(draft: words[2])
let note = try editor.fetch(Fetch<Note>().sorted { $0.title })[0]
guard words.count > 3 else {
  for number in 1... {
    note.title = "Typed, and never saved: \(number)"
    try await store.flush()
    FileHandle.standardOutput.write(Data("typed \(number)\n".utf8))
  }
  exit(0)
}
note.title = words[3]
let restoration = Restoration(store, appVersion: words[3])
try restoration.define(TypistScreen.list) { TypistScreen($0) }
try restoration.define(TypistScreen.editor) { TypistScreen($0) }
if try await restoration.restore().entries.isEmpty {
  let list = try restoration.open(TypistScreen.list, id: "notes", state: TypistState(line: 7, text: words[3]))
  try restoration.open(
    TypistScreen.editor, id: "editor", under: list.node.path, state: TypistState(line: 8, text: words[3]))
}
try await restoration.flush()
FileHandle.standardOutput.write(Data("typed 1\n".utf8))
while true { try await Task.sleep(for: .seconds(60)) }
