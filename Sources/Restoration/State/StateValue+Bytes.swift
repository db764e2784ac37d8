import RepriseObjectModel

/// The bytes of a tree of values, in the form that ``StateImage`` describes.
extension StateValue {
  init(bytes: ArraySlice<UInt8>) throws(StateCodingError) {
    let image = try StateImage(bytes)
    do throws(MalformedBytes) { self = try StateValue(image, at: image.root) } catch { throw .malformed(error) }
  }

  fileprivate init(_ image: StateImage, at offset: Int) throws(MalformedBytes) {
    switch image.tag(at: offset) {
    case StateTag.null: self = .null
    case StateTag.no: self = .bool(false)
    case StateTag.yes: self = .bool(true)
    case StateTag.double, StateTag.float: self = .double(try image.floating(at: offset) ?? 0)
    case StateTag.text: self = .text(try image.text(at: offset, tag: StateTag.text) ?? "")
    case StateTag.reference: self = .reference(try image.text(at: offset, tag: StateTag.reference) ?? "")
    case StateTag.bytes: self = .bytes(try image.packed(at: offset) ?? [])
    case StateTag.list: self = .list(try image.values(at: offset, tag: StateTag.list).map(\.value))
    case StateTag.keyed:
      self = .keyed(Dictionary(try image.values(at: offset, tag: StateTag.keyed)) { _, last in last })
    default:
      let number: Int128? = try image.integer(at: offset)
      if let number {
        self = .integer(number)
      } else {
        self = .wide(try image.integer(at: offset) ?? 0)
      }
    }
  }

  func encoded() throws(StateCodingError) -> [UInt8] {
    let tree = StateTree()
    write(to: StateValueEncoder(tree: tree, container: tree.top, index: 0))
    if let failure = tree.failure { throw failure }
    return try tree.encoded(keeping: nil)
  }

  private func write(to place: StateValueEncoder) {
    // A tree that is too deep fails before the stack is used up.
    if place.tree.failure != nil { return }
    switch self {
    case .null: place.encodeNil()
    case .bool(let value): place.encode(value)
    case .integer(let number): place.integer(number)
    case .wide(let number): place.integer(number)
    case .double(let number): place.encode(number)
    case .text(let text): place.encode(text)
    case .reference(let target): place.reference(target)
    case .bytes(let bytes):
      place.tree.scalar(in: place.container, at: place.index) {
        $0.append(StateTag.bytes)
        $0.sized(bytes)
      }
    case .list(let values):
      let list = place.tree.container(isKeyed: false, in: place.container, at: place.index)
      for value in values {
        value.write(to: StateValueEncoder(tree: place.tree, container: list, index: place.tree.appendSlot(to: list)))
      }
    case .keyed(let values):
      let keyed = place.tree.container(isKeyed: true, in: place.container, at: place.index)
      for (name, value) in values {
        let slot = place.tree.slot(for: name, in: keyed)
        value.write(to: StateValueEncoder(tree: place.tree, container: keyed, index: slot))
      }
    }
  }
}

extension StateImage {
  /// The values of a container, with their names if they have any.
  fileprivate func values(at offset: Int, tag: UInt8) throws(MalformedBytes) -> [(key: String, value: StateValue)] {
    guard let contents = try contents(of: offset, tag: tag) else { return [] }
    var found: [(key: String, value: StateValue)] = []
    found.reserveCapacity(contents.count)
    var next = contents.first
    for _ in 0..<contents.count {
      var (name, start) = ("", next)
      if tag == StateTag.keyed {
        let pair = try pair(at: next)
        (name, start) = (key(pair.key), pair.value)
      }
      found.append((name, try StateValue(self, at: start)))
      next = try end(of: start)
    }
    return found
  }
}
