import RepriseInspector

/// A message without the next step leaves a developer without the page.
final class InspectorErrorTextTests: ErrorTextTestCase {
  func testInspectorErrors() throws {
    check(
      "\(InspectorError.portInUse(8080))",
      "The inspector cannot listen at port 8080, because another program does. Name another port, or 0 for a free one.",
      named: "portInUse")
    check(
      "\(InspectorError.cannotListen(port: 80, reason: "Permission denied."))",
      "The inspector cannot listen at port 80: Permission denied. Name another port, or 0 for a free one.",
      named: "cannotListen")
    try assertEveryCaseWasChecked(of: "InspectorError")
  }
}
