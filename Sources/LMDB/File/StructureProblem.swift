/// Something in the file that LMDB trusts and should not.
package struct StructureProblem: Equatable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// One of the two meta pages, which say where everything else is.
    case metaPage
    /// A reference to a page that cannot be: a meta page, or one beyond the end.
    case missingPage
    /// A page whose header has another number.
    case pageNumber
    /// A page of another kind than its reference expects.
    case pageKind
    /// The bounds of a page: where its nodes begin, and how many there are.
    case bounds
    /// A node that lies outside its page, overlaps another, or cannot be parsed.
    case node
    /// A key of impossible size, or out of order.
    case keyOrder
    /// A tree with branches of different lengths.
    case depth
    /// A tree with more or fewer pages or entries than its head says.
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

  package let kind: Kind
  /// `nil` if the problem is not in one page.
  package let page: UInt?
  /// `nil` if the problem is not in one table.
  package let table: String?
  /// What is wrong, as part of a sentence.
  package let reason: String
}

extension StructureProblem: CustomStringConvertible {
  package var description: String {
    let place = [page.map { "page \($0)" }, table.map { "table '\($0)'" }].compactMap { $0 }.joined(separator: ", ")
    return place.isEmpty ? reason : "\(place): \(reason)"
  }
}
