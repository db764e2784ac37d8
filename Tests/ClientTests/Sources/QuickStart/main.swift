import Foundation
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String
  @Relationship(deleteRule: .cascade) var items: ToMany<Item>
  init(name: String) { self.name = name }
}

let store = try await Store.open("inventory.reprise", for: Item.self, Person.self)
let context = store.mainContext

if let chair = try context.fetch(Fetch<Item> { $0.name == "Red chair" }).first {
  // Second launch: the unsaved edit is there, only in the editor.
  let editor = try context.makeChild(draft: "item-editor")
  let edited = try editor.object(chair.id)
  print(chair.name, "->", edited.name)  // Red chair -> Green chair
  editor.undo()  // the undo steps are there, too
  print(edited.name)  // Red chair
  editor.redo()
  try editor.save("Rename chair")  // into the context
  try await context.save("Rename chair")  // into the log
  print(chair.name, "of", chair.owner?.name ?? "nobody")  // Green chair of Ada
} else {
  // First launch: save one change, make another one without saving it, and kill the program.
  let chair = context.insert(Item(name: "Red chair"))
  chair.owner = Person(name: "Ada")
  try await context.save("Add chair")
  let editor = try context.makeChild(draft: "item-editor")
  try editor.object(chair.id).name = "Green chair"
  try await Task.sleep(for: .seconds(1))  // edits are in the journal within a quarter of a second
  print("Green chair is typed and not saved. Run me again.")
  kill(getpid(), SIGKILL)
}
