import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

class LogTestCase: RecordTestCase {
  /// A frame with known salts, behind ``LogFixture/seed``.
  func frame(
    at position: Position, _ envelope: FrameEnvelope? = nil, _ fill: (inout FrameEncoder) throws -> Void
  ) throws -> [UInt8] {
    let envelope = envelope ?? LogFixture.envelope(at: position)
    var encoder = FrameEncoder(envelope, position: position, salts: SaltSource(seed: LogFixture.seed))
    try fill(&encoder)
    return encoder.finish(
      logID: LogFixture.logID, previousHash: LogFixture.seed, logTime: envelope.wallTime
    ).bytes
  }

  func read<Result>(_ bytes: [UInt8], _ body: (LogFrame) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { try body(LogFrame($0)) }
  }
}
