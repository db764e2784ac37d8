import Browser
import Foundation
import XCTest

/// The pictures of a kill while somebody types. `.ci/screenshots` names their folder in `REPRISE_FRAMES`.
@MainActor final class KillPictureTests: XCTestCase {
  private var frames = 0

  func testAFrameShowsALostText() async throws {
    guard let folder = ProcessInfo.processInfo.environment["REPRISE_FRAMES"] else {
      throw XCTSkip("Only .ci/screenshots names a folder.")
    }
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.send(
      "Emulation.setDeviceMetricsOverride", ["width": 960, "height": 560, "deviceScaleFactor": 1, "mobile": false])
    let tasks = ["Buy oat milk", "Call the printer", "Plan the garden", "Read the contract", "Water the plants"]
    for title in tasks { try await page.addTask(title) }
    func take(_ caption: String) async throws {
      _ = try await page.value(
        """
        (() => {
          const shown = document.getElementById("caption") ?? document.body.appendChild(document.createElement("p"));
          shown.id = "caption";
          shown.textContent = \(BrowserPage.quoted(caption));
          Object.assign(shown.style, { position: "fixed", bottom: "0", left: "0", right: "0", margin: "0",
            padding: ".6rem 1rem", background: "#222", color: "#fff", font: "16px monospace", whiteSpace: "pre" });
        })()
        """)
      frames += 1
      try await page.photograph(String(format: "%@/%03d.png", folder, frames))
    }
    try await page.act("new")
    try await page.focus("title")
    for part in ["Write ", "to Grace"] {
      try await page.write(part)
      try await page.rest()
      try await take("Ada types.")
    }
    try await page.focus("notes")
    for part in ["Dear Grace, ", "thank you ", "for the "] {
      try await page.write(part)
      try await page.rest()
      try await take("Ada types.")
    }
    server.kill()
    try await page.write("letter and ")
    try await take("$ pkill -KILL planner    # She goes on typing.")
    try await page.wait(for: "Reconnecting", in: "#connection")
    try await page.write("the photos.")
    try await take("$ pkill -KILL planner    # She goes on typing.")
    try server.start()
    try await page.rest()
    try await page.waitForField("notes", toBe: "Dear Grace, thank you for the letter and the photos.")
    try await take("$ planner planner.reprise    # The page has reconnected by itself.")
    for _ in 0..<3 { try await page.press("Control+z") }
    try await page.rest()
    try await take("Undo also reverts the words from before the kill.")
    for _ in 0..<3 { try await page.press("Control+y") }
    try await page.rest()
    try await page.waitForField("notes", toBe: "Dear Grace, thank you for the letter and the photos.")
    try await take("Nothing is lost.")
    try await page.close(expecting: "ERR_")
  }
}
