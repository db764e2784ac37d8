import CWorkload

/// What queries and lists are asked: each a function of a number, so that all peers ask and edit the same.
public enum Questions {
  /// As many items have a greater value than this.
  public static let half = Int(WORKLOAD_HALF)
  public static let onePercent = Int(WORKLOAD_ONE_PERCENT)
  /// As many rows are fetched where a fetch has a limit.
  public static let first = Int(WORKLOAD_FIRST)
  /// As many edits are pending, and so many objects change in one save.
  public static let pending = Int(WORKLOAD_PENDING)
  public static let saved = Int(WORKLOAD_SAVED)
  /// What names begin with: one letter; the two letters of the union.
  public static let prefix = WORKLOAD_PREFIX
  public static let unionPrefix = WORKLOAD_UNION_PREFIX

  /// The range of dates that a sample counts, in ticks.
  public static func countedDates(_ sample: Int) -> Range<Int> { range(workload_counted_dates(Int64(sample))) }

  /// The range of dates of the union, in ticks.
  public static let unionDates = range(workload_union_dates())

  private static func range(_ dates: workload_dates) -> Range<Int> { Int(dates.from)..<Int(dates.before) }

  /// The number of the item, or of the place, that a sample asks for.
  public static func asked(_ sample: Int, of objects: Int) -> Int {
    Int(workload_asked(Int64(sample), Int64(objects)))
  }

  /// The 100 names that are asked for at once.
  public static func names(of objects: Int) -> [String] {
    (0..<Int64(WORKLOAD_NAMES)).map { ItemFacts(number: Int(workload_named($0, Int64(objects)))).name }
  }

  /// The number of the item that an edit changes.
  public static func edited(_ edit: Int, seed: Int, of objects: Int) -> Int {
    Int(workload_edited(Int64(seed), Int64(edit), Int64(objects)))
  }

  /// A value on the other side of ``half``: the item enters or leaves a list with that condition.
  public static func otherHalf(_ value: Int) -> Int { Int(workload_other_half(Int64(value))) }

  /// A date that no item has, in ticks.
  public static func editedTicks(_ edit: Int, seed: Int) -> Int {
    Int(workload_edited_ticks(Int64(seed), Int64(edit)))
  }

  /// A name that no item has.
  public static func editedName(_ edit: Int, seed: Int) -> String {
    var name = [CChar](repeating: 0, count: Int(WORKLOAD_NAME))
    workload_edited_name(Int64(seed), Int64(edit), &name)
    return String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Anonymous memory of this process, once the allocator has given back what it holds for later.
  public static func keptBytes() -> Int { Int(workload_kept_bytes()) }
}
