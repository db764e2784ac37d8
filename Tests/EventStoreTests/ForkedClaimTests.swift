import Foundation
import RepriseObjectModel
import RepriseTestProcesses
import XCTest

@testable import RepriseEventStore

/// A forked child has the descriptors of its parent, and a lock belongs to all processes that share a descriptor.
final class ForkedClaimTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-blob-claims-" + UUID().uuidString
  private let upload = BlobClaims.Subject.upload(UniqueID())

  override func setUp() { XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: nil)) }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private var isFree: Bool { BlobClaims(path: path).whileUnheld([upload]) { !$0.isEmpty } }

  func testAForkedChildKeepsNoClaimOfABlob() throws {
    let claims = BlobClaims(path: path)
    XCTAssertTrue(try claims.hold(upload))
    try ForkedChild.whileOneLives {
      XCTAssertFalse(isFree)
      claims.close()
      XCTAssertTrue(isFree)
    }
  }

  func testAForkedChildReleasesNoClaimOfABlob() throws {
    let claims = BlobClaims(path: path)
    XCTAssertTrue(try claims.hold(upload))
    try ForkedChild.whileOneLives(running: claims.close) { XCTAssertFalse(isFree) }
  }
}
