import CWorkload

/// All that there is to know of an item, whichever store it comes from.
public struct ItemFacts {
  public var name: String
  public var serial: String
  public var notes: String
  public var value: Int
  /// The date, in units of 2⁻²⁴ seconds since 2001.
  public var ticks: Int
  public var hasOwner: Bool

  public init(name: String, serial: String, notes: String, value: Int, ticks: Int, hasOwner: Bool) {
    self.name = name
    self.serial = serial
    self.notes = notes
    self.value = value
    self.ticks = ticks
    self.hasOwner = hasOwner
  }

  /// The item of a number, as it is inserted.
  public init(number: Int) {
    var item = workload_item()
    workload_item_at(Int64(number), &item)
    self.init(item)
  }

  /// The item of a number, as the draft has it.
  public init(editedNumber number: Int) {
    var item = workload_item()
    workload_edited_item_at(Int64(number), &item)
    self.init(item)
  }

  private init(_ item: workload_item) {
    name = text(item.name)
    serial = text(item.serial)
    notes = text(item.notes)
    value = Int(item.value)
    ticks = Int(item.ticks)
    hasOwner = false
  }

  /// The date of the item of a number, in ticks, as it is inserted.
  public static func ticks(ofNumber number: Int) -> Int { Int(workload_ticks(Int64(number))) }

  /// The number of the item with this serial number, which no edit changes; -1 if there is none.
  public static func number(ofSerial serial: String) -> Int { Int(serial, radix: 36) ?? -1 }

  /// The date as a number of seconds since 2001.
  public var date: Double { workload_date(Int64(ticks)) }

  /// The number of seconds since 2001 of so many ticks.
  public static func date(_ ticks: Int) -> Double { workload_date(Int64(ticks)) }

  /// The ticks of a number of seconds since 2001.
  public static func ticks(_ date: Double) -> Int { Int(workload_ticks_of(date)) }
}

/// The text in an array of C.
func text(_ bytes: some BitwiseCopyable) -> String {
  withUnsafeBytes(of: bytes) { String(decoding: $0, as: UTF8.self) }
}
