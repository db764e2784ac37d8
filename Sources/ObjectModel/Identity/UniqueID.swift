import RepriseSystem
import Synchronization

/// A 128-bit universally unique identifier (RFC 9562).
///
/// Unique IDs identify objects, logs, transactions and journals. ``init()`` makes a version 7 value, whose first 48
/// bits are the time in milliseconds. Later values therefore sort after earlier ones. Within a process, values are
/// strictly increasing, even if the clock is set back.
///
/// New values are also greater than the IDs that the process has read from its open stores. If a clock was ahead, the
/// time in a value can therefore be later than its creation.
@frozen
public struct UniqueID: Hashable, Sendable {
  @usableFromInline package let high: UInt64
  @usableFromInline package let low: UInt64

  @inlinable package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a new version 7 value, greater than every value made before in this process.
  public init() {
    self = Self.next(milliseconds: Self.milliseconds(), random: RandomWords.next())
  }

  /// Parses the 36-character form, `01890a5d-ac96-774b-bcce-b302099a8057`, in either case.
  ///
  /// Returns `nil` for any other text. Upper case is accepted because RFC 9562 asks for it, and because other systems
  /// write UUIDs so. So compare values, not texts. The text of an object ID, a URI or a token is in lower case only.
  public init?(_ description: String) {
    var text = description
    guard let id = text.withUTF8({ UniqueID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }

  package static let textLength = 36

  /// Parses the form of ``description`` only, so that no two texts have the same value. `nil` for any other text.
  package init?(canonical utf8: UnsafeRawBufferPointer) {
    let hasUppercase = utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
    if hasUppercase { return nil }
    self.init(utf8: utf8)
  }

  /// The same for a text.
  package init?(canonical text: some StringProtocol) {
    var text = String(text)
    guard let id = text.withUTF8({ UniqueID(canonical: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }

  package init?(utf8: UnsafeRawBufferPointer) {
    guard utf8.count == Self.textLength else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for position in 0..<Self.textLength {
      let byte = utf8[position]
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Self.digit(byte) else { return nil }
        // 16 digits and two dashes stand before the third dash.
        if position < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
      }
    }
    self.init(high: high, low: low)
  }

  /// All bits zero. Never made by ``init()``.
  @inlinable package static var zero: UniqueID { UniqueID(high: 0, low: 0) }

  /// All bits one. Never made by ``init()``.
  @inlinable package static var greatest: UniqueID { UniqueID(high: .max, low: .max) }

  /// The least ID that is greater.
  package var next: UniqueID? {
    if low < .max { return UniqueID(high: high, low: low + 1) }
    return high < .max ? UniqueID(high: high + 1, low: 0) : nil
  }

  /// The greatest ID that is less.
  package var previous: UniqueID? {
    if low > 0 { return UniqueID(high: high, low: low - 1) }
    return high > 0 ? UniqueID(high: high - 1, low: .max) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static func milliseconds() -> UInt64 { UInt64(max(0, WallClock.microseconds())) / 1000 }

  /// Time and counter of the last value: 48 bits of milliseconds over 12 bits of counter.
  private static let last = Atomic<UInt64>(0)

  /// Whether ``init()`` can make greater values. The ID must be of version 7, and not of the far future as damage can
  /// make it.
  private var canBeExceeded: Bool { high >> 12 & 0xF == 7 && high >> 63 == 0 }

  /// The greater of two values. `id` may be any value, and counts only if later IDs can exceed it.
  package static func later(_ known: UniqueID, _ id: UniqueID) -> UniqueID {
    id.canBeExceeded ? max(known, id) : known
  }

  /// Makes later values greater than this one. Another process made it, possibly with a clock that was ahead.
  package static func note(_ id: UniqueID) {
    guard id.canBeExceeded else { return }
    let stamp = (id.high >> 16) << 12 | id.high & 0xFFF
    var before = last.load(ordering: .relaxed)
    while stamp > before {
      let (exchanged, original) = last.weakCompareExchange(expected: before, desired: stamp, ordering: .relaxed)
      if exchanged { return }
      before = original
    }
  }

  package static func next(milliseconds: UInt64, random: UInt64) -> UniqueID {
    var before = last.load(ordering: .relaxed)
    var stamp = max(milliseconds << 12, before + 1)
    while true {
      let (exchanged, original) = last.weakCompareExchange(expected: before, desired: stamp, ordering: .relaxed)
      if exchanged { break }
      before = original
      stamp = max(milliseconds << 12, before + 1)
    }
    let high = (stamp >> 12) << 16 | 0x7000 | stamp & 0xFFF
    let low = 0x8000_0000_0000_0000 | random >> 2
    return UniqueID(high: high, low: low)
  }
}

extension UniqueID {
  /// Two random words that only this process knows.
  @usableFromInline package static let secrets = (
    UInt64(bitPattern: Int64("one".hashValue)), UInt64(bitPattern: Int64("other".hashValue))
  )

  /// The hash for a ``HashIndex``. Most bits are random already, so one multiplication spreads them. The secret
  /// prevents collisions by chosen IDs.
  @inlinable package var spread: UInt64 {
    let (one, other) = Self.secrets
    let product = (high ^ one).multipliedFullWidth(by: low ^ other)
    return product.high ^ product.low
  }
}

extension UniqueID: Comparable {
  /// Compares by bytes. For version 7 values, this is the order of creation.
  @inlinable public static func < (lhs: UniqueID, rhs: UniqueID) -> Bool {
    lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
  }
}

extension UniqueID: LosslessStringConvertible {
  /// The 36-character form in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for position in 0..<32 {
        if position == 8 || position == 12 || position == 16 || position == 20 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let half = position < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: half >> UInt64((15 - position % 16) * 4)) & 15
        text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        place += 1
      }
      return place
    }
  }
}

extension UniqueID: Codable {
  /// Decodes the 36-character form. Throws `DecodingError.dataCorrupted` for any other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = UniqueID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
    }
    self = id
  }

  /// Encodes the 36-character form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
