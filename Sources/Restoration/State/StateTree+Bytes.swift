import RepriseObjectModel

/// The bytes of a tree, in the form that ``StateImage`` describes. Equal values give equal bytes, whatever order their
/// dictionaries have. Pairs are ordered by key, and keys are numbered by first use.
extension StateTree {
  func encoded(keeping unknown: UnknownKeys?) throws(StateCodingError) -> [UInt8] {
    var body = ByteWriter(reserving: scalars.count + 32)
    try write(top.slots[0], unknown, to: &body)
    if let failure { throw failure }
    var bytes = ByteWriter(reserving: body.count + 16 * written.count + 8)
    bytes.append(StateImage.version)
    bytes.varint(written.count)
    for number in written { bytes.string(names[number]) }
    bytes.append(body.bytes)
    guard bytes.count <= StateLimits.bytes else { throw .tooLarge(bytes: bytes.count, limit: StateLimits.bytes) }
    return bytes.bytes
  }

  private func write(_ slot: Slot, _ unknown: UnknownKeys?, to bytes: inout ByteWriter) throws(StateCodingError) {
    switch slot {
    case .scalar(let start, let end): bytes.append(scalars.bytes[start..<end])
    case .kept(let unknown, let offset):
      do throws(MalformedBytes) { try copy(offset, of: unknown.image, to: &bytes) } catch { throw .malformed(error) }
    case .empty: try writeKeyed([], [], unknown, to: &bytes)
    case .container(let container):
      guard container.depth <= StateLimits.depth else { throw .tooDeep(limit: StateLimits.depth) }
      if container.isKeyed {
        try writeKeyed(container.keys, container.slots, unknown, to: &bytes)
      } else if let packed = container.packed {
        bytes.append(StateTag.bytes)
        bytes.sized(packed)
      } else {
        bytes.append(StateTag.list)
        try sized(&bytes) { bytes throws(StateCodingError) in
          bytes.varint(container.slots.count)
          for slot in container.slots { try write(slot, nil, to: &bytes) }
        }
      }
    }
  }

  private func writeKeyed(
    _ keys: ContiguousArray<Int>, _ slots: ContiguousArray<Slot>, _ unknown: UnknownKeys?, to bytes: inout ByteWriter
  ) throws(StateCodingError) {
    var pairs = Array(zip(keys, slots))
    if let unknown {
      let known = Set(keys)
      for (name, offset) in unknown.values {
        let key = number(of: name)
        if !known.contains(key) { pairs.append((key, .kept(unknown, offset))) }
      }
    }
    let ordered = inOrder(pairs)
    bytes.append(StateTag.keyed)
    try sized(&bytes) { bytes throws(StateCodingError) in
      bytes.varint(ordered.count)
      for index in ordered {
        let (key, slot) = pairs[index]
        bytes.varint(place(of: key))
        try write(slot, unknown?.nested[names[key]], to: &bytes)
      }
    }
  }

  /// The places of pairs, ordered by key. Of two values for one key, the later one counts.
  private func inOrder(_ pairs: [(Int, Slot)]) -> [Int] {
    var ordered: [Int] = []
    ordered.reserveCapacity(pairs.count)
    for index in pairs.indices.sorted(by: { (names[pairs[$0].0], $0) < (names[pairs[$1].0], $1) }) {
      if let last = ordered.last, pairs[last].0 == pairs[index].0 { ordered.removeLast() }
      ordered.append(index)
    }
    return ordered
  }

  /// A key's number in the bytes, assigned when the key is first written.
  private func place(of key: Int) -> Int {
    if places.count <= key { places.append(contentsOf: repeatElement(-1, count: names.count - places.count)) }
    if places[key] < 0 {
      places[key] = written.count
      written.append(key)
    }
    return places[key]
  }

  /// Writes the output of `body`, preceded by its length.
  private func sized<Failure: Error>(
    _ bytes: inout ByteWriter, _ body: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    bytes.append(0)
    try body(&bytes)
    let count = bytes.count - start - 1
    // Most fit the byte that was left for them.
    if count < 0x80 {
      bytes.bytes[start] = UInt8(count)
    } else {
      var length = ByteWriter()
      length.varint(count)
      bytes.bytes.replaceSubrange(start...start, with: length.bytes)
    }
  }

  /// Copies a value of an earlier state, renumbering its keys for this tree.
  private func copy(_ offset: Int, of image: StateImage, to bytes: inout ByteWriter) throws(MalformedBytes) {
    let isKeyed = image.tag(at: offset) == StateTag.keyed
    guard let contents = try image.contents(of: offset, tag: isKeyed ? StateTag.keyed : StateTag.list) else {
      bytes.append(UnsafeRawBufferPointer(rebasing: image.bytes[offset..<(try image.end(of: offset))]))
      return
    }
    bytes.append(isKeyed ? StateTag.keyed : StateTag.list)
    try sized(&bytes) { bytes throws(MalformedBytes) in
      bytes.varint(contents.count)
      var next = contents.first
      for _ in 0..<contents.count {
        if isKeyed {
          let pair = try image.pair(at: next)
          bytes.varint(place(of: number(of: image.key(pair.key))))
          next = pair.value
        }
        try copy(next, of: image, to: &bytes)
        next = try image.end(of: next)
      }
    }
  }
}
