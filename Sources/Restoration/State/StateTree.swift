import RepriseObjectModel

/// A value that is being encoded.
///
/// `Codable` types may fill several containers at once and in any order. So containers are kept as a tree until all are
/// filled. Scalars are bytes from the beginning.
final class StateTree {
  enum Slot {
    /// Nothing was written: a type without properties.
    case empty
    /// A range of `scalars`.
    case scalar(Int, Int)
    case container(Container)
    /// A value of an earlier state, which the program does not know.
    case kept(UnknownKeys, Int)
  }

  final class Container {
    let isKeyed: Bool
    let depth: Int
    unowned let parent: Container?
    let index: Int
    var keys: ContiguousArray<Int> = []
    var slots: ContiguousArray<Slot> = []
    /// The elements of a list, while each of them is a `UInt8`.
    var packed: [UInt8]?

    init(isKeyed: Bool, in parent: Container?, at index: Int) {
      self.isKeyed = isKeyed
      self.parent = parent
      self.index = index
      depth = parent.map { $0.depth + 1 } ?? 0
    }

    var count: Int { packed?.count ?? slots.count }
  }

  /// Holds one slot: the value itself.
  let top = Container(isKeyed: false, in: nil, at: 0)
  private(set) var names: [String] = []
  private var numbers: [String: Int] = [:]
  /// The keys in the order of the bytes, and each key's place among them.
  var written: ContiguousArray<Int> = []
  var places: ContiguousArray<Int> = []
  private(set) var scalars = ByteWriter(reserving: 64)
  /// The error of a call that the protocol does not let throw.
  var failure: StateCodingError?

  init() { top.slots.append(.empty) }

  func number(of name: String) -> Int {
    // A few keys are compared faster than hashed.
    if names.count <= 16 {
      if let number = names.firstIndex(of: name) { return number }
      if names.count == 16 { for (number, name) in names.enumerated() { numbers[name] = number } }
    } else if let number = numbers[name] {
      return number
    }
    let number = names.count
    names.append(name)
    if number >= 16 { numbers[name] = number }
    if number >= StateLimits.elements { failure = .tooMany(limit: StateLimits.elements) }
    return number
  }

  /// A slot for a key's value, at the end of a container.
  func slot(for name: String, in container: Container) -> Int {
    container.keys.append(number(of: name))
    return appendSlot(to: container)
  }

  /// A slot at the end of a list.
  func appendSlot(to container: Container) -> Int {
    unpack(container)
    if container.slots.count >= StateLimits.elements { failure = .tooMany(limit: StateLimits.elements) }
    container.slots.append(.empty)
    return container.slots.count - 1
  }

  func append(_ byte: UInt8, to list: Container) {
    if list.packed == nil, list.slots.isEmpty { list.packed = [] }
    if list.packed != nil {
      list.packed?.append(byte)
      if scalars.count + list.count > StateLimits.bytes {
        failure = .tooLarge(bytes: list.count, limit: StateLimits.bytes)
      }
    } else {
      let slot = appendSlot(to: list)
      scalar(in: list, at: slot) { StateTree.write(byte, to: &$0) }
    }
  }

  /// The list turned out to hold more than bytes.
  private func unpack(_ list: Container) {
    guard let bytes = list.packed else { return }
    list.packed = nil
    for byte in bytes {
      list.slots.append(.empty)
      scalar(in: list, at: list.slots.count - 1) { StateTree.write(byte, to: &$0) }
    }
  }

  func scalar(in container: Container, at index: Int, _ write: (inout ByteWriter) -> Void) {
    let start = scalars.count
    write(&scalars)
    container.slots[index] = .scalar(start, scalars.count)
    if scalars.count > StateLimits.bytes { failure = .tooLarge(bytes: scalars.count, limit: StateLimits.bytes) }
  }

  /// The container in a slot. The same one if a type asks for it twice, as a subclass does.
  func container(isKeyed: Bool, in parent: Container, at index: Int) -> Container {
    if case .container(let existing) = parent.slots[index], existing.isKeyed == isKeyed { return existing }
    let made = Container(isKeyed: isKeyed, in: parent, at: index)
    if made.depth > StateLimits.depth { failure = .tooDeep(limit: StateLimits.depth) }
    parent.slots[index] = .container(made)
    return made
  }

  func path(to container: Container, _ index: Int?) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var here: (container: Container, index: Int?)? = (container, index)
    while let (container, index) = here, container !== top {
      if let index {
        let isNamed = container.isKeyed && index < container.keys.count
        path.append(isNamed ? StateKey(stringValue: names[container.keys[index]]) : StateKey(intValue: index))
      }
      here = container.parent.map { ($0, container.index) }
    }
    return path.reversed()
  }
}

// MARK: - Scalars

extension StateTree {
  static func write<Number: FixedWidthInteger>(_ number: Number, to bytes: inout ByteWriter) {
    if number >= 0, number <= 0x7F {
      bytes.append(StateTag.small | UInt8(truncatingIfNeeded: number))
    } else if let natural = UInt64(exactly: number) {
      bytes.append(StateTag.natural)
      bytes.varint(natural)
    } else if let negative = Int64(exactly: number) {
      bytes.append(StateTag.negative)
      bytes.varint(UInt64(bitPattern: ~negative))
    } else if let wide = Int128(exactly: number) {
      bytes.append(StateTag.wide)
      bytes.fixed(wide)
    } else {
      bytes.append(StateTag.unsignedWide)
      bytes.fixed(UInt128(truncatingIfNeeded: number))
    }
  }

  static func write(_ number: Double, to bytes: inout ByteWriter) {
    bytes.append(StateTag.double)
    bytes.fixed(number.bitPattern)
  }

  static func write(_ number: Float, to bytes: inout ByteWriter) {
    bytes.append(StateTag.float)
    bytes.fixed(number.bitPattern)
  }

  static func write(_ text: String, to bytes: inout ByteWriter) {
    bytes.append(StateTag.text)
    bytes.string(text)
  }
}
