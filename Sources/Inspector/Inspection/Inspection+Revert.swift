import RepriseCore
import RepriseTool

extension Inspection {
  private struct RevertRequest: Decodable {
    let position: UInt64
    /// The decision about each conflict, by its number.
    let answers: [String: RevertPlan.Answer]?
    let save: Bool?
  }

  /// Shows the changes of a reversal. Saves it if the page asks for that, and has shown the same changes before.
  func revert(_ request: PageRequest) async throws -> JSON {
    let wanted: RevertRequest = try request.decoded()
    var plan = RevertPlan(of: Position(wanted.position), in: store)
    for (number, answer) in wanted.answers ?? [:] {
      guard let index = Int(number) else { throw PageFailure.body("'\(number)' is no number of a conflict.") }
      plan.answers[index] = answer
    }
    var isOutdated = false
    if wanted.save == true, let shown = shownReverts[wanted.position] {
      do {
        var json = Self.json(shown)
        json["saved"] = .int(try await plan.save(as: shown, by: author).number)
        shownReverts[wanted.position] = nil
        return .object(json)
      } catch RevertPlanError.outdated {
        // The numbers of conflicts may mean other ones by now, so the page asks again.
        plan.answers = [:]
        isOutdated = true
      }
    }
    let preview = try plan.preview()
    shownReverts[wanted.position] = preview
    var json = Self.json(preview)
    json["isOutdated"] = .bool(isOutdated)
    return .object(json)
  }

  private static func json(_ preview: RevertPreview) -> [String: JSON] {
    [
      "isNothing": .bool(preview.changes.isEmpty && preview.conflicts.isEmpty && preview.violations.isEmpty),
      "changes": .list(preview.changes.map { TransactionForm.json($0) }),
      "conflicts": .list(preview.conflicts.map { json($0) }),
      "violations": .list(preview.violations.map { .text($0) }), "saved": .null,
    ]
  }

  private static func json(_ conflict: RevertPreview.Conflict) -> JSON {
    .object([
      "key": .text("\(conflict.index)"), "object": .text(conflict.object), "property": .text(conflict.property),
      "text": .text(conflict.sentence), "mine": ValueForm.json(conflict.mine.value),
      "theirs": ValueForm.json(conflict.theirs.value), "transactions": .list(conflict.transactions.map { .int($0) }),
      "choices": .list(conflict.choices.map { .text($0.rawValue) }), "answer": .text(conflict.answer?.rawValue),
    ])
  }
}
