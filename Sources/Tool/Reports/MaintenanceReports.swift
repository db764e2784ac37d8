import RepriseCore

/// The findings of a check or a verification.
package struct FindingsReport: Encodable {
  let isSound: Bool
  let problems: [String]
  private let text: String

  private enum CodingKeys: CodingKey { case isSound, problems }

  package init(_ report: CheckReport) {
    isSound = report.isSound
    problems = report.problems.map { CommandWords.text("\($0)") }
    text = CommandWords.text("\(report)")
  }

  package init(_ report: VerificationReport) {
    isSound = report.isSound
    problems = report.problems.map(CommandWords.text)
    text = CommandWords.text("\(report)")
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    for line in text.split(separator: "\n") { try output.line(PlainText.line(String(line))) }
  }
}

/// The result of a backup.
package struct BackupText: Encodable {
  let path: String
  let position: UInt64
  let bytes: Int
  let missingJournals: [String]

  package init(_ report: BackupReport, _ path: String) {
    self.init(path, report.position, bytes: report.bytes, missingJournals: report.missingJournals)
  }

  package init(_ path: String, _ position: Position, bytes: Int, missingJournals: [String]) {
    self.path = path
    self.position = position.number
    self.bytes = bytes
    self.missingJournals = missingJournals
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line("Copied the store at @\(position) to \(PlainText.line(path)), \(ValueText.bytes(bytes)).")
    for journal in missingJournals { try output.line("Left out the journal \(PlainText.line(journal)).") }
  }
}

/// The result of a compaction.
package struct CompactionText: Encodable {
  let bytesBefore: Int
  let bytesAfter: Int

  package init(_ report: CompactionReport) { (bytesBefore, bytesAfter) = (report.bytesBefore, report.bytesAfter) }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line("\(ValueText.bytes(bytesBefore)) before, \(ValueText.bytes(bytesAfter)) after.")
  }
}

/// The result of a rebuild.
package struct RebuildText: Encodable {
  let transactions: Int
  let lostTransactions: Int
  let events: Int
  let objects: Int
  let indexRows: Int
  private let text: String

  private enum CodingKeys: CodingKey { case transactions, lostTransactions, events, objects, indexRows }

  package init(_ report: RebuildReport) {
    (transactions, lostTransactions, events) = (report.transactions, report.lostTransactions, report.events)
    (objects, indexRows, text) = (report.objects, report.indexRows, CommandWords.text("\(report)"))
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line(PlainText.line(text))
  }
}

/// The result of a salvage.
package struct SalvageText: Encodable {
  let isComplete: Bool
  let transactions: Int
  let firstLost: UInt64?
  let lastLost: UInt64?
  let objects: Int
  let restoredObjects: Int
  let problems: [String]
  private let text: String

  private enum CodingKeys: CodingKey {
    case isComplete, transactions, firstLost, lastLost, objects, restoredObjects, problems
  }

  package init(_ report: SalvageReport) {
    (isComplete, transactions, objects) = (report.isComplete, report.transactions, report.objects)
    (firstLost, lastLost) = (report.lost?.lowerBound.number, report.lost?.upperBound.number)
    restoredObjects = report.restoredObjects
    problems = report.problems.map(CommandWords.text)
    text = CommandWords.text("\(report)")
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    for line in text.split(separator: "\n") { try output.line(PlainText.line(String(line))) }
  }
}
