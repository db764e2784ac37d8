import RepriseLog
import RepriseObjectModel

/// The progress of a projection. It is written in the same commit as the rows.
package struct ProjectionState: Equatable {
  /// The prefix of the keys of its rows.
  var number: UInt32
  var version: UInt64
  var keepsHistory: Bool
  /// Whether rows of an earlier version are still to be removed.
  var isClearing = false
  /// Whether the rows were up to date once. They fall behind again when programs without the projection save.
  var isReady = false
  /// The last transaction that was applied to the rows.
  var position: Position = 0

  private static let (keepsHistoryFlag, clearingFlag, readyFlag): (UInt8, UInt8, UInt8) = (1, 2, 4)

  init(number: UInt32, version: UInt64, keepsHistory: Bool) {
    self.number = number
    self.version = version
    self.keepsHistory = keepsHistory
  }

  /// Makes the next steps remove all rows, and then make them again.
  mutating func beginAnew() { (isClearing, isReady, position) = (true, false, 0) }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    number = try reader.schemaNumber("a projection's number")
    version = try reader.varint("a projection's version")
    let flags = try reader.byte("the flags of a state")
    guard flags & ~(Self.keepsHistoryFlag | Self.clearingFlag | Self.readyFlag) == 0 else {
      throw reader.fail("known flags")
    }
    keepsHistory = flags & Self.keepsHistoryFlag != 0
    isClearing = flags & Self.clearingFlag != 0
    isReady = flags & Self.readyFlag != 0
    position = try reader.position()
    try reader.expectEnd("the state of a projection to end")
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 24)
    writer.varint(UInt64(number))
    writer.varint(version)
    writer.append(
      (keepsHistory ? Self.keepsHistoryFlag : 0) | (isClearing ? Self.clearingFlag : 0) | (isReady ? Self.readyFlag : 0)
    )
    writer.position(position)
    return writer.sealed()
  }
}
