import RepriseLMDB

/// What ``Store/check(_:)`` found.
public struct CheckReport: Sendable {
  /// How many pages the file has, by its own account.
  public let pages: Int
  /// How many of them are free.
  public let freePages: Int
  /// The bytes of a page; 0 if not even that can be told.
  public let pageSize: Int
  /// What does not hold; at most 100.
  public let problems: [Problem]

  /// Whether everything holds: the store can be opened and read without danger to the process.
  public var isSound: Bool { problems.isEmpty }

  /// Something in the file that does not hold.
  public struct Problem: Sendable, Hashable {
    /// What is affected.
    public enum Kind: Sendable, Hashable {
      /// One of the two pages that say where everything else begins.
      case metaPage
      /// A page that is not what refers to it, or whose entries do not lie in it.
      case page
      /// Keys that are not in order, branches of different lengths, other numbers of pages or rows than were noted.
      case tree
      /// Pages that are in use twice, or both in use and free, or neither.
      case use
      /// A table that is missing, or is none.
      case table
    }

    /// What is affected.
    public let kind: Kind
    /// The number of the page, from 0: in the file it begins at this times the size of a page. `nil` if it is not of
    /// one page.
    public let page: UInt?
    /// The table, where it is one's.
    public let table: String?
    /// What is wrong, as part of a sentence.
    public let reason: String
  }
}

extension CheckReport: CustomStringConvertible {
  /// The counts, and the problems if there are any.
  public var description: String {
    let counts = "\(pages) pages of \(pageSize) bytes, \(freePages) of them free"
    if isSound { return "Sound: \(counts)." }
    return "\(problems.count) problems in \(counts):\n" + problems.map(\.description).joined(separator: "\n")
  }
}

extension CheckReport.Problem: CustomStringConvertible {
  /// Where it is, and what is wrong.
  public var description: String {
    let places = [page.map { "page \($0)" }, table.map { "table '\($0)'" }].compactMap { $0 }
    return places.isEmpty ? reason : "\(places.joined(separator: ", ")): \(reason)"
  }
}

extension CheckReport {
  init(_ report: StructureReport, requiring tables: [String]) {
    pages = report.pages
    freePages = report.freePages
    pageSize = report.pageSize
    var problems = report.problems.map(Problem.init)
    if problems.isEmpty {
      for name in tables where !report.tables.contains(where: { $0.name == name }) {
        problems.append(Problem(kind: .table, page: nil, table: name, reason: "it is missing"))
      }
    }
    self.problems = problems
  }
}

extension CheckReport.Problem {
  fileprivate init(_ problem: StructureProblem) {
    kind =
      switch problem.kind {
      case .metaPage: .metaPage
      case .missingPage, .pageNumber, .pageKind, .bounds, .node: .page
      case .keyOrder, .depth, .count: .tree
      case .usedTwice, .freeList, .lostPages: .use
      case .table: .table
      }
    page = problem.page
    table = problem.table
    reason = problem.reason
  }
}
