/// A mistake in the words of a command.
package enum ToolError: Error, Equatable {
  /// The text is no object ID.
  case notAnObject(String)
  /// The store has no such object.
  case noObject(String)
  /// The store never had such an object, as far as its log goes back.
  case noPastObject(String)
  /// Several objects have this UUID.
  case ambiguousObject(String, [String])
  /// The log has no past values of the object.
  case nothingToErase(String)
  /// The text is no position, date or time.
  case notAPosition(String)
  /// The log has no such position.
  case noPosition(String, head: UInt64)
  /// The store has no such entity.
  case noEntity(String, known: [String])
  /// The entity has no such attribute or relationship.
  case noProperty(String, entity: String, known: [String])
  /// The store has no draft with this ID.
  case noDraft(String, known: [String])
  /// The edits of the draft cannot be read.
  case unreadableDraft(String, reason: String)
  /// So many changes of the draft conflict with later saves, and have no answer.
  case draftConflicts(String, count: Int)
  /// The draft belongs to the draft of a parent context.
  case draftOfParent(String, parent: String)
  /// The store has no scene with this name.
  case noScene(String, known: [String])
  /// The directory of a copy cannot be made.
  case cannotCopy(to: String)
  /// The directory of a copy has files already.
  case copyExists(at: String)
  /// The command would change the store, and nobody can answer the question.
  case needsYes(question: String)
  /// The user declined.
  case declined
  /// The user ended the command, which may have left an unfinished copy.
  case interrupted(copy: String?)
}

extension ToolError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAnObject(let text):
      "'\(PlainText.line(text))' is no object. Write 'Entity/UUID', a UUID, or a URI of the store."
    case .noObject(let text):
      "The store has no object \(PlainText.line(text)) here. Look for its deletion with 'reprise history'."
    case .noPastObject(let text):
      "The store has no object \(PlainText.line(text)), and its log has no change of one. Check the ID."
    case .ambiguousObject(let text, let objects):
      "Several objects have the UUID \(PlainText.line(text)): \(Self.list(objects)). Write one of these."
    case .nothingToErase(let object):
      "The log has no past values of \(PlainText.line(object)), so there is nothing to erase."
    case .notAPosition(let text):
      "'\(PlainText.line(text))' is no position. Write '@1234', 'head', 'head~3', or a date such as '2026-11-20' or "
        + "'2026-11-20 18:30' in UTC."
    case .noPosition(let text, let head):
      "'\(PlainText.line(text))' is not in the log, whose last position is \(head)."
    case .noEntity(let name, let known):
      "The store has no entity '\(PlainText.line(name))'. It has: \(Self.list(known))."
    case .noProperty(let name, let entity, let known):
      "\(PlainText.line(entity)) has no property '\(PlainText.line(name))'. It has: \(Self.list(known))."
    case .noDraft(let id, let known):
      "The store has no draft '\(PlainText.line(id))'. It has: \(Self.list(known))."
    case .unreadableDraft(let id, let reason):
      "The edits of the draft '\(PlainText.line(id))' cannot be read: \(PlainText.line(reason)) Use a program with the "
        + "models that made them."
    case .draftConflicts(let id, let count):
      "The draft '\(PlainText.line(id))' was not saved, because later saves changed \(count) "
        + "\(count == 1 ? "value or object" : "values or objects") of the draft. Save the values of the draft with "
        + "'--mine', or keep the later ones with '--theirs'."
    case .draftOfParent(let id, let parent):
      "The draft '\(PlainText.line(id))' is a part of the draft '\(PlainText.line(parent))'. Save or discard that one."
    case .noScene(let name, let known):
      "The store has no scene '\(PlainText.line(name))'. It has: \(Self.list(known))."
    case .cannotCopy(let path):
      "The copy cannot be made at \(PlainText.line(path)). Check that its directory exists, and that you may "
        + "write to it."
    case .copyExists(let path):
      "There are files at \(PlainText.line(path)) already. Name a directory that does not exist, or is empty."
    case .needsYes(let question):
      "\(PlainText.line(question)) Nobody could answer, so nothing was changed. Add '--yes' to the command to make the "
        + "change."
    case .declined: "Nothing was changed."
    case .interrupted(nil): "The command was interrupted."
    case .interrupted(let copy?):
      "The command was interrupted. Remove the unfinished copy \(PlainText.line(copy)) before you try again."
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map(PlainText.line).joined(separator: ", ")
  }
}
