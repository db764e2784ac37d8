/// Lets one task after the other in, in the order of their arrival.
@MainActor final class Turn {
  private(set) var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    if !isTaken {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
