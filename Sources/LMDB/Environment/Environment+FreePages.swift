import CRepriseLMDB

extension Environment {
  /// The defect of the lists of free pages that the next commit may use. `nil` if there is none. LMDB writes to these
  /// pages without checking their numbers. With one flipped bit in a number, LMDB would make a file of terabytes, and
  /// lose the pages written there.
  ///
  /// Call it within a write transaction that has changed nothing. Checks each list once. The first call checks all
  /// lists, and later ones the lists of the commits since.
  func problemOfFreePages(_ transaction: OpaquePointer) -> String? {
    guard let table = options.tables.first, let file = mappedFile else { return nil }
    let checked = writer.checkedFreePages
    guard var lists = file.freeLists(after: checked.pointee, table, transaction) else { return nil }
    if let problem = lists.problem() { return problem }
    checked.pointee = lists.lastCommit
    return nil
  }
}
