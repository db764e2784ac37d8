enum Shade: String, Codable { case light, dark }

enum Filter: Codable, Equatable {
  case all
  case named(String, limit: Int?)
}

struct Everything: Codable, Equatable {
  var no = false
  var yes = true
  var int8 = Int8.min
  var int16 = Int16.min
  var int32 = Int32.min
  var int64 = Int64.min
  var int128 = Int128.min
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max
  var uint128 = UInt128.max
  var zero = 0
  var small = 127
  var beyondSmall = 128
  var minusOne = -1
  var double = -0.1
  var float = Float.leastNonzeroMagnitude
  var infinity = Double.infinity
  var empty = ""
  var text = "naïve 🪑"
  var nothing: Int?
  var something: Int?? = .some(3)
  var bytes: [UInt8] = [0, 127, 128, 255]
  var noBytes: [UInt8] = []
  var numbers = [1, -2, 300]
  var optionals: [String?] = ["a", nil, "c"]
  var lists: [[Bool]] = [[], [true], [false, true]]
  var byName = ["b": 1, "a": 2]
  var byNumber = [7: "seven", 300: "three hundred"]
  var shade = Shade.dark
  var filters: [Filter] = [.all, .named("x", limit: nil), .named("", limit: 3)]
}

struct SmallState: Codable, Equatable {
  var topRow: String? = "reprise://01890a5d-ac96-774b-bcce-b302099a8057/Item/01890a5d-ac96-774b-bcce-b302099a8057"
  var search = ""
  var offset = 12.5
  var caret = 300
}

struct Nothing: Codable, Equatable {}

class Base: Codable {
  var name = "base"
}

final class Derived: Base {
  var count = 1

  private enum CodingKeys: CodingKey { case count }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    count = try container.decode(Int.self, forKey: .count)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try super.encode(to: container.superEncoder())
  }
}

/// A type within a type, to any depth.
final class Nested: Codable {
  var inner: Nested?

  init(depth: Int) { inner = depth > 1 ? Nested(depth: depth - 1) : nil }

  /// Without recursion, so that a test may make a deep one.
  static func deep(_ depth: Int) -> Nested {
    var top = Nested(depth: 1)
    for _ in 1..<depth {
      let outer = Nested(depth: 1)
      outer.inner = top
      top = outer
    }
    return top
  }
}
