/// Something in the file that LMDB would trust, and must not.
package struct StructureProblem: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// One of the two meta pages, which say where everything else is.
    case metaPage
    /// A page that is referred to and cannot be: it is a meta page, or behind the end.
    case missingPage
    /// A page that says it is another.
    case pageNumber
    /// A page of another kind than one refers to.
    case pageKind
    /// Where the nodes of a page begin, and how many they are.
    case bounds
    /// A node that lies outside of its page, overlaps another, or is none.
    case node
    /// A key that cannot be, or is not in its place.
    case keyOrder
    /// A tree with branches of different lengths.
    case depth
    /// Pages or entries that are more or fewer than the tree's head says.
    case count
    /// A page in two places.
    case usedTwice
    /// The lists of free pages.
    case freeList
    /// Pages that are neither used nor free.
    case lostPages
    /// An entry of the main database that is no table of ours.
    case table
  }

  package let kind: Kind
  /// `nil` where it is not of one page.
  package let page: UInt?
  /// `nil` where it is not of one table.
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
