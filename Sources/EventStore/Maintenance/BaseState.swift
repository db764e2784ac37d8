import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects before the floor of a truncated log: the objects at the head, with all changes of the log reverted. Each
/// event is compared with the state that later events left, so objects and log prove each other. The digest proves the
/// rest.
struct BaseState {
  let log: LogTable
  let objects: ObjectTable
  /// The first position to revert.
  let floor: Position
  let head: Position
  private let sliceSize: Int

  init(log: LogTable, objects: ObjectTable, floor: Position, head: Position, sliceSize: Int = ObjectFold.size) {
    self.log = log
    self.objects = objects
    self.floor = floor
    self.head = head
    self.sliceSize = max(1, sliceSize)
  }

  /// The findings of a walk back through the log.
  struct Findings {
    /// SHA-256 over the objects before the floor. See ``CompactionRecord/base``.
    fileprivate(set) var digest = Digest.zero
    /// The number of objects at the head, by entity.
    fileprivate(set) var counts: [UInt32: Int] = [:]
    /// The contradictions found. If there are any, the digest is meaningless.
    fileprivate(set) var problems: [StoreFinding] = []
    /// Separate from the problems, because the digest does not depend on keyframes.
    fileprivate(set) var wrongKeyframes: [WrongKeyframe] = []

    fileprivate mutating func found(_ problem: StoreFinding) { if problems.count < 100 { problems.append(problem) } }
  }

  /// Reverts the log. Keeps the objects that the log changed in memory, half a million at a time. Reads the log once
  /// for each such slice, and each object once in all.
  ///
  /// - Parameters:
  ///   - logView: The view for reading the log. Objects are read in `view`.
  ///   - step: Called from time to time. If it returns false, the walk ends with `nil`.
  ///   - body: Called with the fields of each object at the head.
  func findings(
    _ view: View, log logView: View, step: () -> Bool = { true },
    fields body: (RecordFields) throws(MalformedBytes) -> Void = { _ in }
  ) throws(StorageError) -> Findings? {
    var findings = Findings()
    var hash = SHA256()
    var rest = ObjectFold.all
    repeat {
      var slice = Slice(rest, size: sliceSize)
      guard try rollBack(&slice, &findings, view, logView, step) else { return nil }
      guard try add(slice, to: &hash, &findings, view, step, body) else { return nil }
      rest = slice.range.upperBound..<ObjectFold.all.upperBound
    } while !rest.isEmpty
    findings.digest = hash.finish()
    return findings
  }

  /// The objects that the log changed, in a range of addresses.
  private struct Slice {
    private(set) var range: Range<ObjectAddress>
    var changed: [ObjectAddress: RolledBackObject] = [:]
    private let size: Int

    init(_ range: Range<ObjectAddress>, size: Int) {
      self.range = range
      self.size = size
    }

    /// Leaves the last objects for another slice if the slice has too many.
    mutating func narrow() {
      guard changed.count > size + size / 4 else { return }
      let end = changed.keys.sorted()[size]
      range = range.lowerBound..<end
      changed = changed.filter { $0.key < end }
    }
  }

  private func rollBack(
    _ slice: inout Slice, _ findings: inout Findings, _ view: View, _ logView: View, _ step: () -> Bool
  ) throws(StorageError) -> Bool {
    var next: Position? = head
    while let position = next, position >= floor {
      if position.number % 64 == 0, !step() { return false }
      next = position > 0 ? position - 1 : nil
      var failure: StorageError?
      do throws(StorageError) {
        try log.withFrame(position, logView) { (frame) throws(MalformedBytes) in
          for event in try frame.events.all().reversed() {
            guard let address = event.change?.object, slice.range.contains(address) else { continue }
            do throws(StorageError) {
              if slice.changed[address] == nil { slice.changed[address] = try object(address, view) }
            } catch {
              failure = error
              return
            }
            do throws(ReplayError) {
              guard let object = slice.changed[address] else { throw .missingObject(address.uuid) }
              if frame.hasKeyframes, !frame.keyframe(of: event, passes: object.matches) {
                findings.wrongKeyframes.append(WrongKeyframe(position: position, object: address.uuid))
              }
              try slice.changed[address]?.rollBack(event, at: position)
            } catch {
              findings.found(.event(position, object: address.uuid, reason: "\(error)"))
            }
          }
        }
        if let failure { throw failure }
      } catch {
        guard let reason = error.finding else { throw error }
        findings.found(.transaction(position, reason: reason))
        // A damaged key may name a position too high to count down from.
        next = try log.position(before: position, logView)
        let last = max(next ?? 0, floor - 1)
        if last + 1 < position { findings.found(.missingTransactions(last + 1...position - 1)) }
      }
      slice.narrow()
    }
    return true
  }

  private func object(
    _ address: ObjectAddress, _ view: View
  ) throws(StorageError) -> RolledBackObject? {
    for key in [
      ObjectKey(entity: address.entity, uuid: address.uuid), ObjectKey(tombstoneOf: address.entity, uuid: address.uuid),
    ] {
      let found = try objects.withRecord(key, "#\(address.entity)", view) { RolledBackObject($0) }
      if let found { return found }
    }
    return nil
  }

  /// Adds the objects that existed before the floor, in the order of their keys, and checks all objects at the head.
  private func add(
    _ slice: Slice, to hash: inout SHA256, _ findings: inout Findings, _ view: View, _ step: () -> Bool,
    _ body: (RecordFields) throws(MalformedBytes) -> Void
  ) throws(StorageError) -> Bool {
    var changed = slice.changed.sorted { $0.key < $1.key }[...]
    for (address, object) in changed {
      do throws(ReplayError) {
        try object.requireBase(before: floor, address.uuid)
      } catch {
        findings.found(.versions(object: address.uuid, before: floor, reason: "\(error)"))
      }
    }
    var (sum, found, rows, isStopped) = (hash, findings, 0, false)
    func take(upTo end: ObjectAddress?) {
      while let next = changed.first, end.map({ next.key <= $0 }) ?? true {
        changed.removeFirst()
        next.value.fields?.withUnsafeBytes { sum.update($0, of: next.key) }
      }
    }
    let first = slice.range.lowerBound
    let start = CollectionOfOne(ObjectKey(entity: first.entity, uuid: first.uuid))
    try objects.rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
      rows += 1
      if rows % 4_096 == 0, !step() {
        isStopped = true
        return false
      }
      guard let key = ObjectKey(key) else {
        found.found(.unreadableKey(table: "objects"))
        return true
      }
      let address = ObjectAddress(entity: key.entity, uuid: key.uuid)
      if key.isTombstone {
        // A tombstone from before the floor is still to be removed.
        guard slice.range.contains(address) else { return true }
      } else {
        guard slice.range.contains(address) else { return false }
        take(upTo: address)
        found.counts[key.entity, default: 0] += 1
      }
      do throws(StorageError) {
        let kind = try objects.parse(bytes, key, "#\(key.entity)", view) { (record) throws(MalformedBytes) in
          if !key.isTombstone { try body(record.fields) }
          guard slice.changed[address] == nil else { return record.kind }
          if record.position >= floor {
            found.found(.recordNotInLog(key.uuid))
          } else if !key.isTombstone {
            sum.update(record.fields.bytes, of: address)
          }
          return record.kind
        }
        if let problem = try objects.problem(of: key, kind, view) { found.found(.record(key.uuid, reason: problem)) }
      } catch {
        guard let reason = error.damage else { throw error }
        found.found(.record(key.uuid, reason: reason))
      }
      return true
    }
    take(upTo: nil)
    (hash, findings) = (sum, found)
    return !isStopped
  }
}

extension SHA256 {
  fileprivate mutating func update(_ fields: UnsafeRawBufferPointer, of address: ObjectAddress) {
    update(ObjectKey(entity: address.entity, uuid: address.uuid).bytes)
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: fields.count).littleEndian) { update($0) }
    update(fields)
  }
}
