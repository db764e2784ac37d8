/// The result of an import.
package struct ImportText: Encodable {
  private let counts: ImportCounts
  private let isTrial: Bool

  package init(_ counts: ImportCounts, isTrial: Bool) { (self.counts, self.isTrial) = (counts, isTrial) }

  package func encode(to encoder: any Encoder) throws { try counts.encode(to: encoder) }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line(
      (isTrial ? "Would insert \(counts.inserted) and update" : "Inserted \(counts.inserted) and updated")
        + " \(counts.updated) objects. \(counts.unchanged) are equal already.")
    if counts.deleted > 0 {
      try output.line(
        "\(isTrial ? "Would delete" : "Deleted") \(counts.deleted == 1 ? "1 object" : "\(counts.deleted) objects").")
    }
    if counts.transactions > 1 { try output.line("The import has \(counts.transactions) transactions.") }
    if !counts.derived.isEmpty {
      let names = counts.derived.map(PlainText.line).joined(separator: ", ")
      try output.line(
        "Derived attributes of \(names) have the values of the file, until a program computes them again.")
    }
  }
}
