import RepriseCore
import Songs
import Synchronization

/// Saves songs with the numbers 0, 1, 2 … without pause. The ledger gets each outcome after the save has ended.
final class SongWriter: Sendable {
  private let store: Store
  private let ledger: Ledger
  private let name: String
  private let isStopped = Atomic(false)

  init(_ store: Store, _ ledger: Ledger, name: String) {
    (self.store, self.ledger, self.name) = (store, ledger, name)
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  func run() async {
    var number = 0
    while !isStopped.load(ordering: .relaxed) {
      let title = "\(name).\(number)"
      number += 1
      do {
        try await store.write(title) { context in _ = context.insert(Song(title: title)) }
        ledger.add("saved \(title)")
      } catch SaveError.outcomeUnknown(let transaction) {
        ledger.add("undecided \(title) \(transaction)")
      } catch SaveError.unavailable {
        ledger.add("refused \(title)")
      } catch {
        return ledger.add("failed \(error)")
      }
    }
  }
}
