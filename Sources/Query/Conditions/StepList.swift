import RepriseSystem

/// The steps of a condition.
///
/// Joining conditions does not copy a long left one. The new steps are appended to its steps, unless another condition
/// was already appended there. So in a chain of thousands (`condition = condition && …`), each step is copied once, and
/// not again with every further condition.
struct StepList: Sendable {
  private enum Storage: Sendable {
    case own([Step])
    /// The first steps of a list that several conditions share.
    case shared(SharedSteps, count: Int)
  }

  private let storage: Storage

  /// Fewer steps are copied, which costs less than sharing them.
  private static let leastShared = 32

  init(_ steps: [Step]) { storage = .own(steps) }

  private init(_ storage: Storage) { self.storage = storage }

  /// O(1) unless the steps are shared, then O(steps).
  var all: [Step] {
    switch storage {
    case .own(let steps): steps
    case .shared(let steps, let count): steps.first(count)
    }
  }

  var count: Int {
    switch storage {
    case .own(let steps): steps.count
    case .shared(_, let count): count
    }
  }

  /// Whether this is a single step, and the same as another one. O(1).
  func isOnly(_ step: Step) -> Bool {
    if case .own(let steps) = storage { steps.count == 1 && steps[0] == step } else { false }
  }

  /// The steps of both conditions, then the operator. Amortised O(steps of the right one), unless the left one was
  /// joined to another before.
  func joined(to right: StepList, by joint: Step) -> StepList {
    if count < Self.leastShared { return StepList(all + right.all + [joint]) }
    let more = right.all + [joint]
    let total = count + more.count
    if case .shared(let steps, let count) = storage, steps.append(more, after: count) {
      return StepList(.shared(steps, count: total))
    }
    return StepList(.shared(SharedSteps(all + more), count: total))
  }
}

extension StepList: Hashable {
  static func == (left: StepList, right: StepList) -> Bool { left.count == right.count && left.all == right.all }

  func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// Steps that are only appended to, so that a list of the first steps stays valid.
private final class SharedSteps: Sendable {
  private let steps: Guarded<[Step]>

  init(_ steps: [Step]) { self.steps = Guarded(steps) }

  /// Appends nothing and returns false if there are more than the first `count`.
  func append(_ more: [Step], after count: Int) -> Bool {
    steps.withLock { steps in
      guard steps.count == count else { return false }
      steps.append(contentsOf: more)
      return true
    }
  }

  func first(_ count: Int) -> [Step] {
    steps.withLock { steps in steps.count == count ? steps : Array(steps[..<count]) }
  }
}
