import CWorkload

/// All that there is to know of a task, whichever store it comes from.
public struct TaskFacts {
  public let text: String
  /// When it is due, in ticks as ``ItemFacts/ticks``.
  public let ticks: Int
  public let isDone: Bool

  /// The task of a number, as it is inserted.
  public init(number: Int) {
    var task = workload_task()
    workload_task_at(Int64(number), &task)
    text = Workload.text(task.text)
    ticks = Int(task.ticks)
    isDone = task.is_done != 0
  }
}

extension Questions {
  /// The two words that are searched for.
  public static let words = [Int64(WORKLOAD_ONE_WORD), Int64(WORKLOAD_OTHER_WORD)].map(word)

  /// The date in the middle of all, in ticks.
  public static let middleTicks = Int(workload_middle_ticks())

  private static func word(_ index: Int64) -> String {
    var word = [CChar](repeating: 0, count: Int(WORKLOAD_WORD))
    workload_word(index, &word)
    return String(decoding: word.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
