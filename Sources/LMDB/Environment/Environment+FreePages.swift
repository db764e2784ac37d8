import CRepriseLMDB

extension Environment {
  /// What is wrong with the lists of free pages that the next commit may use; `nil` if nothing is. LMDB writes to the
  /// pages in them without a look at their numbers: one flipped bit makes a file of terabytes, and loses what is
  /// written there.
  ///
  /// Called within a write transaction that has changed nothing. Looks at each list once: of the first call all, of
  /// later ones those of the commits since.
  func problemOfFreePages(_ transaction: OpaquePointer) -> String? {
    guard let table = options.tables.first, let file = mappedFile else { return nil }
    let checked = writer.checkedFreePages
    guard var lists = file.freeLists(after: checked.pointee, table, transaction) else { return nil }
    if let problem = lists.problem() { return problem }
    checked.pointee = lists.lastCommit
    return nil
  }
}
