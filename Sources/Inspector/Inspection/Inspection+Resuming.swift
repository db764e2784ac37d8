import RepriseCore
import RepriseTool

extension Inspection {
  /// The draft that the page has resumed.
  func resumed(_ id: String) throws(PageFailure) -> ResumedDraft {
    guard let draft = drafts[id] else { throw .notResumed(id) }
    return draft
  }

  /// The draft whose edits a context shows.
  func resumed(in context: ObjectContext) -> ResumedDraft? { drafts.values.first { $0.context === context } }

  /// A resumed draft that nothing is ending at the moment.
  private func changeable(_ id: String) throws -> ResumedDraft {
    let draft = try resumed(id)
    if draft.isEnding { throw PageFailure.draftIsEnding(id) }
    return draft
  }

  func resumedState(_ request: PageRequest) throws -> JSON {
    let draft = try resumed(try request.required("draft"))
    try draft.context.refresh()
    return try draft.json()
  }

  private struct ResumedRequest: Decodable {
    enum Action: String, Decodable { case resume, close, undo, redo }
    let id: String
    let action: Action
  }

  /// Resumes or closes a draft, or goes to another step of it.
  func changeResumed(_ request: PageRequest) async throws -> JSON {
    let wanted: ResumedRequest = try request.decoded()
    if wanted.action == .resume { try resume(wanted.id) }
    let draft = try changeable(wanted.id)
    switch wanted.action {
    case .resume: break
    case .close:
      try await store.flush()
      // Another request may have begun a save meanwhile.
      drafts[try changeable(wanted.id).id] = nil
      return .object(["id": .text(wanted.id)])
    case .undo: draft.context.undo()
    case .redo: draft.context.redo()
    }
    if wanted.action != .resume {
      draft.changed()
      try await store.flush()
    }
    return try draft.json()
  }

  private func resume(_ id: String) throws {
    if drafts[id] != nil { return }
    let info = try DraftsReport.info(id, of: store)
    if let parent = info.parent { throw PageFailure.resumedInParent(id, parent: parent) }
    do {
      drafts[id] = ResumedDraft(id, try DraftPlan.resumed(info, of: store))
    } catch DraftError.inUse {
      throw PageFailure.draftInUse(id, process: info.process)
    }
  }

  /// Lets other processes have the drafts. A draft that is being saved stays until its end.
  func closeDrafts() { drafts = drafts.filter { $0.value.isEnding } }

  /// The server has ended.
  package func end() { drafts = [:] }

  // MARK: Values

  private struct ValueRequest: Decodable {
    let draft: String
    let object: String
    let property: String
    /// `nil` for nil.
    let text: String?
  }

  /// Sets an attribute in a resumed draft. The answer comes once the edit outlives the process.
  func setValue(_ request: PageRequest) async throws -> JSON {
    let wanted: ValueRequest = try request.decoded()
    let draft = try changeable(wanted.draft)
    let context = draft.context
    try context.refresh()
    let id = try Places(store).object(wanted.object, in: context)
    guard let object = try context.find(id) else { throw ToolError.noObject(id.description) }
    let entity = type(of: object).entity
    guard let property = entity.property(named: wanted.property) else {
      throw ToolError.noProperty(
        wanted.property, entity: entity.name, known: (entity.attributes + entity.relationships).map(\.name))
    }
    let value = try value(wanted.text, of: property)
    try context.group("Edit \(property.name)") { try object.set(property.name, to: value) }
    // The context refuses the edit of a damaged value, because undo would need the old one.
    if try !object[property.name].isIdentical(to: value), let error = context.readErrors[id] { throw error }
    draft.changed()
    try await store.flush()
    return try draft.json()
  }

  private func value(_ text: String?, of property: Property) throws(PageFailure) -> PropertyValue {
    guard case .attribute(let kind) = property.kind, let hint = WrittenValue.hint(kind), !property.isDerived else {
      throw .notEditable(property.name)
    }
    guard let text, kind == .string || !text.allSatisfy(\.isWhitespace) else {
      if property.isOptional { return .null }
      throw .noNil(property.name, hint: hint)
    }
    guard let value = WrittenValue.value(text, of: kind) else { throw .notAValue(text, property.name, hint: hint) }
    return value
  }

  // MARK: The end of a draft

  private struct DraftRequest: Decodable {
    enum Action: String, Decodable { case discard, save }
    let id: String
    let action: Action
    /// The decision about conflicts with later saves, if the user has seen that there are some.
    let answer: DraftPlan.Answer?
  }

  /// Ends a draft, with or without its edits, whether or not the page has resumed it.
  func changeDraft(_ request: PageRequest) async throws -> JSON {
    let wanted: DraftRequest = try request.decoded()
    var position: Position?
    switch wanted.action {
    case .discard: try discard(wanted.id)
    case .save:
      if drafts[wanted.id] != nil {
        position = try await saveResumed(try changeable(wanted.id), wanted.answer)
      } else {
        position = try await save(DraftPlan(wanted.id, of: store, wanted.answer))
      }
    }
    try await store.flush()
    return .object(["saved": position.map { .int($0.number) } ?? .null])
  }

  private func discard(_ id: String) throws {
    guard drafts[id] != nil else { return try store.drafts.discard(id) }
    try changeable(id).context.discard()
    drafts[id] = nil
  }

  private func saveResumed(_ draft: ResumedDraft, _ answer: DraftPlan.Answer?) async throws -> Position? {
    draft.isEnding = true
    defer { draft.isEnding = false }
    try draft.context.refresh()
    var position: Position?
    if draft.context.hasChanges {
      let info = try DraftsReport.info(draft.id, of: store)
      position = try await save(DraftPlan(info, of: draft.context, answer))
    } else {
      // Steps that were undone are left of it.
      draft.context.discard()
    }
    drafts[draft.id] = nil
    return position
  }

  private func save(_ plan: DraftPlan) async throws -> Position? {
    try await plan.save(as: "Save a draft in the inspector", orBy: author)
  }
}
