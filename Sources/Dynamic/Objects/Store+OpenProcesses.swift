import RepriseEventStore
import RepriseSystem

extension Store {
  /// The IDs of the other processes that have the store open, ascending. A process in another container reports the ID
  /// that it has there, and only if it has a draft or a scene.
  package func openProcesses() throws(StoreError) -> [Int32] {
    let numbers = Set(try processNumbers().map { Int32(truncatingIfNeeded: $0) })
    return numbers.subtracting([0, OwnProcess.id]).sorted()
  }
}
