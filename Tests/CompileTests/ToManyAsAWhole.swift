// A to-many relationship is assigned as a whole, from a literal, another one or any sequence.
import Reprise

@Model final class Note {
  @Relationship(inverse: \Tag.notes) var tags: ToMany<Tag>
  @Relationship(deleteRule: .deny, inverse: \Folder.notes, required: true) var folder: Folder?
}

@Model final class Tag {
  @Relationship(maximum: 100) var notes: ToMany<Note>
}

@Model final class Folder {
  @Relationship(deleteRule: .noAction, minimum: 1) var notes: ToMany<Note>
}

func assign(_ note: Note, _ other: Note, _ tag: Tag, _ some: [Tag]) {
  note.tags = [tag]
  note.tags = []
  note.tags = other.tags
  note.tags = ToMany(some)
  note.tags.insert(contentsOf: some)
  note.tags.remove(contentsOf: some)
}
