import CWorkload

/// The sizes of what is restored, and which items it concerns.
public enum Bench {
  public static let screens = Int(WORKLOAD_SCREENS)
  public static let rows = Int(WORKLOAD_ROWS)
  public static let anchor = Int(WORKLOAD_ANCHOR)

  /// The numbers of the visible rows, in the order of their dates.
  public static func visibleRows(of objects: Int) -> [Int] {
    var numbers = [Int64](repeating: 0, count: rows)
    let count = Int(workload_visible(Int64(objects), &numbers))
    return numbers[..<count].map { Int($0) }
  }

  /// The item that an update changes, and its new value.
  public static func update(_ update: Int, of objects: Int) -> (number: Int, value: Int) {
    (Int(workload_updated_item(Int64(update), Int64(objects))), Int(workload_updated_value(Int64(update))))
  }

  /// A value that no earlier run had: a store is not flattered by writing what is there.
  public static func freshValue() -> Int { Int(workload_fresh()) }

  /// A date that no item is likely to have, anywhere among the others.
  public static func freshTicks() -> Int {
    var random = FreshRandom()
    return Int.random(in: 1 << 52..<1 << 53, using: &random)
  }

  /// `CLOCK_MONOTONIC`, in nanoseconds.
  public static func now() -> Int { Int(workload_now()) }

  /// Keeps a line of output until the end.
  public static func put(_ label: StaticString, _ value: Int) {
    label.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { workload_put($0.baseAddress, Int64(value)) }
    }
  }

  /// Anonymous resident memory of this process.
  public static func anonymousBytes() -> Int { Int(workload_anonymous_bytes()) }
}

/// Random numbers, others in each run.
public struct FreshRandom: RandomNumberGenerator {
  private var state = workload_seed()

  public init() {}

  public mutating func next() -> UInt64 { workload_random(&state) }
}
