import RepriseCore

/// The values that an erasure would remove from the log, before it does.
package struct ErasurePlan {
  package let erasure: Erasure
  /// The number of transactions that changed the object.
  package let transactions: Int
  private let exists: Bool

  /// - Parameters:
  ///   - object: The object, which may have been deleted.
  ///   - properties: The names of properties. None for all of them.
  package init(of object: AnyObjectID, _ properties: [String], in context: ObjectContext) throws {
    erasure = properties.isEmpty ? Erasure(of: object) : Erasure(of: object, Set(properties))
    let entity = try Places(context.store).entity(object.entity)
    let known = (entity.attributes + entity.relationships).map(\.name)
    if let unknown = properties.first(where: { !known.contains($0) }) {
      throw ToolError.noProperty(unknown, entity: entity.name, known: known.sorted())
    }
    transactions = try context.history(of: object, limit: nil).count
    if transactions == 0 { throw ToolError.nothingToErase("\(object)") }
    exists = try context.find(object) != nil
  }

  /// The loss.
  package var question: String {
    let properties = erasure.properties.map { " of \($0.sorted().joined(separator: ", "))" } ?? ""
    let count = transactions == 1 ? "1 transaction" : "\(transactions) transactions"
    return "Erase the past values\(properties) of \(erasure.object) from \(count)? Nothing can restore them. "
      + (exists ? "The present values stay." : "The object is deleted, so no value stays.")
  }
}

/// The result of an erasure.
package struct ErasureText: Encodable {
  let transactions: Int
  let discardedDrafts: [String]
  let bytesBefore: Int
  let bytesAfter: Int

  package init(_ report: ErasureReport) {
    self.init(
      transactions: report.transactions, discardedDrafts: report.discardedDrafts, bytesBefore: report.bytesBefore,
      bytesAfter: report.bytesAfter)
  }

  package init(transactions: Int, discardedDrafts: [String], bytesBefore: Int, bytesAfter: Int) {
    (self.transactions, self.discardedDrafts) = (transactions, discardedDrafts)
    (self.bytesBefore, self.bytesAfter) = (bytesBefore, bytesAfter)
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    let count = transactions == 1 ? "1 transaction" : "\(transactions) transactions"
    try output.line("Erased values of \(count).")
    for draft in discardedDrafts { try output.line("Discarded the draft '\(PlainText.line(draft))'.") }
    try output.line("\(ValueText.bytes(bytesBefore)) before, \(ValueText.bytes(bytesAfter)) after.")
  }
}
