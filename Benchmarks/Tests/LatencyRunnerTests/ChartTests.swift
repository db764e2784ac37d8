import Foundation
import XCTest

@testable import LatencyRunner

#if canImport(FoundationXML)
import FoundationXML
#endif

final class ChartTests: XCTestCase {
  private let figures = [
    Figure.of("restore.log.10k", .reprise, [3_000]), .of("restore.log.100k", .reprise, [3_100]),
    .of("restore.log.10k", .grdb, [9_000]), .of("restore.log.100k", .grdb, [12_000]),
    .of("restore.cold.10k", .reprise, [3_000]), .of("restore.cold.10k.static", .reprise, [1_000]),
  ]

  func testAChartIsWellFormedAndHasALineForEachPeer() throws {
    let svg = try XCTUnwrap(RestoreCharts(figures: figures).overLog.svg())
    XCTAssertTrue(XMLParser(data: Data(svg.utf8)).parse(), svg)
    XCTAssertEqual(svg.components(separatedBy: "<polyline").count - 1, 2)
    XCTAssertEqual(svg.components(separatedBy: "<circle").count - 1, 4)
  }

  func testOnePointIsNoLine() {
    XCTAssertNil(RestoreCharts(figures: figures).overObjects.svg())
    XCTAssertNil(RestoreCharts(figures: []).overLog.svg())
  }

  func testStaticProgramsAreNotInTheLineOfDynamicOnes() {
    let series = RestoreCharts(figures: figures).overObjects.series
    XCTAssertEqual(series.map(\.points.count), [1])
  }

  func testTextIsEscaped() {
    var svg = SVG(width: 10, height: 10, style: "")
    svg.add("text", ["class": "\"a\""], text: "1 < 2 & 3")
    XCTAssertTrue(svg.text.contains("<text class=\"&quot;a&quot;\">1 &lt; 2 &amp; 3</text>"), svg.text)
    XCTAssertTrue(XMLParser(data: Data(svg.text.utf8)).parse())
  }

  func testTenTimesAsMuchIsAlwaysTheSameDistance() throws {
    let scale = try XCTUnwrap(LogScale(covering: [1, 1_000], from: 0, to: 300, room: 0))
    XCTAssertEqual(scale.position(1), 0, accuracy: 0.001)
    XCTAssertEqual(scale.position(10), 100, accuracy: 0.001)
    XCTAssertEqual(scale.position(1_000), 300, accuracy: 0.001)
    XCTAssertEqual(scale.ticks, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000])
    XCTAssertNil(LogScale(covering: [0, 1], from: 0, to: 1, room: 0))
  }

  func testLabelsDoNotLieOnEachOther() {
    XCTAssertEqual(Chart.apart([10, 100, 12], by: 16), [10, 100, 26])
    XCTAssertEqual(Chart.apart([30, 30, 30], by: 10), [30, 40, 50])
  }
}
