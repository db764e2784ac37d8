import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A keyframe that differs from the sum of its object's events.
struct WrongKeyframe {
  let position: Position
  let object: UniqueID

  var problem: StoreFinding { .keyframe(position, object: object) }
}

extension ObjectFold {
  /// Whether the keyframe of an event that was just added equals the record of its object. True if the event has no
  /// keyframe, or if the object is outside the slice.
  func matchesKeyframe(of event: LogEvent, in frame: LogFrame) -> Bool {
    guard frame.hasKeyframes, let address = event.change?.object, slice.contains(address) else { return true }
    return frame.keyframe(of: event) { keyframe in
      record(of: address)?.dropFirst(Checksum.size).elementsEqual(keyframe.bytes) == true
    }
  }
}

extension LogFrame {
  /// Whether the keyframe of an event can be read and passes a test. True without one.
  func keyframe(of event: LogEvent, passes test: (RecordReader) throws(ReplayError) -> Bool) -> Bool {
    do { return try record(after: event).map(test) ?? true } catch { return false }
  }
}

extension LogTable {
  /// Removes the keyframes from a transaction.
  func removeKeyframes(at position: Position, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let (bytes, size) = try withFrame(position, transaction.view) { (frame) throws(MalformedBytes) in
      (try frame.withoutKeyframes(), frame.bytes.count)
    }
    try replace(bytes, at: position, size: size, transaction)
  }
}
