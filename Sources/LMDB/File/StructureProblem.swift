/// A part of the file that contradicts the assumptions of LMDB.
package struct StructureProblem: Equatable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// One of the two meta pages, which lead to all other pages.
    case metaPage
    /// A reference to a meta page, or to a page beyond the end.
    case missingPage
    /// A page whose header has another number.
    case pageNumber
    /// A page of another kind than its reference requires.
    case pageKind
    /// The bounds of a page: where its nodes begin, and how many there are.
    case bounds
    /// A node that lies outside its page, overlaps another, or cannot be parsed.
    case node
    /// A key of impossible size, or out of order.
    case keyOrder
    /// A tree with branches of different lengths.
    case depth
    /// A tree with more or fewer pages or entries than its head has recorded.
    case count
    /// A page that is used twice.
    case usedTwice
    /// The lists of free pages.
    case freeList
    /// Pages that are neither used nor free.
    case lostPages
    /// An entry of the main database that is not a table.
    case table
  }

  /// `nil` if the problem is not in one page.
  package let page: UInt?
  /// `nil` if the problem is not in one table.
  package let table: String?
  package let reason: Reason
  package var kind: Kind { reason.kind }

  package init(page: UInt?, table: String?, reason: Reason) {
    (self.page, self.table, self.reason) = (page, table, reason)
  }
}

extension StructureProblem: CustomStringConvertible {
  package var description: String {
    let place = [page.map { "page \($0)" }, table.map { "table '\($0)'" }].compactMap { $0 }.joined(separator: ", ")
    return place.isEmpty ? "\(reason)" : "\(place): \(reason)"
  }

  /// The first of several problems.
  package func text(andMore count: Int) -> String {
    count == 0 ? description : "\(self), and \(count) more \(count == 1 ? "problem" : "problems")"
  }
}
