import Foundation
import XCTest

@testable import RestoreLatency

final class SamplersTests: XCTestCase {
  private var folder = ""

  override func setUp() async throws { folder = NSTemporaryDirectory() + "samplers-\(UUID().uuidString)" }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  /// It would be given a copy of all stores for one of its own.
  func testTheEmptyProgramTakesPartInStartsAlone() throws {
    let workers = Workers(folder: folder)
    let stores = try StoreCache(folder: folder, workers: workers, keepsOld: false)
    let plan = Plan(profile: .full)
    let groups = Samplers(plan: plan, workers: workers, stores: stores, agreement: Agreement())
      .groups(plan.rows, [.lmdb, .swift])
    let measured = groups.joined().filter { $0.peer == .swift }.flatMap(\.rows).map(\.name)
    XCTAssertEqual(
      measured, plan.rows.map(\.name).filter { $0.hasPrefix("restore.") && $0 != "restore.inside.100k" })
    XCTAssertEqual(try stores.store(StoreShape(objects: 10), of: .swift), folder)
  }
}
