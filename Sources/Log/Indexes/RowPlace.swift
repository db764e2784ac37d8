/// How many rows sort before a row key, and whether it is a row itself.
package struct RowPlace: Sendable, Equatable {
  package var rank: Int
  package var isThere: Bool

  package init(rank: Int, isThere: Bool) {
    self.rank = rank
    self.isThere = isThere
  }
}

package enum RowDirection: Sendable, Equatable {
  case ascending, descending
}
