import CWorkload

/// FNV-1a over what a peer found, which is equal in all peers.
public struct Hash {
  private var state = workload_hash_begin()

  public init() {}

  /// A bit less than the hash has: output is signed.
  public var value: Int { Int(state >> 1) }

  public mutating func add(_ text: String) {
    var text = text
    state = text.withUTF8 { workload_hash_bytes(state, $0.baseAddress, $0.count) }
  }

  public mutating func add(_ integer: Int) { state = workload_hash_integer(state, Int64(integer)) }

  /// How many there are, then each.
  public mutating func add(_ integers: [Int]) {
    add(integers.count)
    for integer in integers { add(integer) }
  }
}
