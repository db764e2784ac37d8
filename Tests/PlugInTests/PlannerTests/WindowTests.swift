import Browser
import Foundation
import FoundationNetworking
import XCTest

/// Reloads, tabs, the network and sleep.
@MainActor final class WindowTests: XCTestCase {
  func testNobodyCanBegin() async throws {
    let server = try PlannerServer()
    let page = try await BrowserPage(server.url + "/", user: BrowserUser(), isReady: "document.body")
    _ = try await page.value("document.querySelector('[name=name]').focus()")
    try await page.write("Zoë O'Brien & Söhne")
    try await page.click("button", rests: false)
    try await page.wait("the start page is shown", "document.body?.innerText.includes('Zoë O\\'Brien & Söhne')")
    try await page.click("main a", rests: false)
    try await page.wait("the window is shown", "document.body?.dataset.ready === 'true'")
    try await page.addTask("Tea")
    try await page.close()
  }

  func testAReloadLosesTypedText() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Buy te")
    // The last input is not sent yet.
    _ = try await page.value("(async () => { document.execCommand('insertText', false, 'a'); location.reload() })()")
    try await page.wait("the page is back", "document.body?.dataset.ready === 'true'")
    try await page.waitForField("title", toBe: "Buy tea")
    let caret = try await page.number("document.activeElement.selectionStart")
    XCTAssertEqual(caret, 7)
    try await page.close()
  }

  func testBackLeadsToAStalePage() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Tea")
    try await page.rest()
    _ = try await page.value("location.href = '/'")
    try await page.wait("the start page is shown", "document.body?.innerText.includes('Your windows')")
    _ = try await page.value("history.back()")
    try await page.wait("the window is shown", "document.querySelector('[data-field=title]')?.value === 'Tea'")
    try await page.rest()
    try await page.focus("title")
    try await page.write(" and milk")
    try await page.rest()
    let other = try await server.page("Ada")
    try await other.waitForField("title", toBe: "Tea and milk")
    try await page.close()
    try await other.close()
  }

  func testASecondTabShowsAnotherText() async throws {
    let server = try PlannerServer()
    let (first, second) = (try await server.page("Ada"), try await server.page("Ada"))
    try await first.act("new")
    try await first.focus("title")
    try await first.write("Tea")
    try await second.waitForField("title", toBe: "Tea")
    try await second.focus("title")
    try await second.write(" and milk")
    try await first.waitForField("title", toBe: "Tea and milk")
    try await first.close()
    try await second.close()
  }

  func testSevenWindowsBlockEachOther() async throws {
    // A browser has six connections to a server.
    let server = try PlannerServer()
    var hidden: [BrowserPage] = []
    let user = try await BrowserUser(cookies: ["user": "Ada"])
    for number in 0..<8 {
      let page = try await BrowserPage(server.url + "/w/window-\(number)", user: user)
      try await page.act("new")
      try await page.focus("title")
      try await page.write("Task \(number)")
      try await page.setHidden(true)
      hidden.append(page)
    }
    let page = try await BrowserPage(server.url + "/w/last", user: user)
    try await page.addTask("Tea")
    // A page that is seen again shows what it missed.
    try await hidden[0].setHidden(false)
    try await hidden[0].rest()
    try await hidden[0].wait(for: "Tea", in: "#tasks")
    try await hidden[0].waitForField("title", toBe: "Task 0")
    for page in hidden + [page] { try await page.close() }
  }

  func testARefusedInputStopsThePage() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    // A proxy may refuse what it finds too long.
    _ = try await page.value(
      """
      { const send = fetch;
        window.fetch = (address, options) => options?.body?.includes("XXXX")
          ? Promise.resolve(new Response("", { status: 413 })) : send(address, options); }
      """)
    try await page.focus("notes")
    try await page.write("XXXX")
    try await page.wait(for: "The server cannot take your last input", in: "#connection")
    let kept = try await page.field("notes")
    XCTAssertEqual(kept, "XXXX")
    try await page.focus("title")
    try await page.write("Tea")
    try await page.save()
    let other = try await server.page("Ada", window: "other")
    try await other.wait(for: "Tea", in: "#tasks")
    try await page.close(expecting: "413")
    try await other.close()
  }

  func testAPageIsForgottenWhileOthersWork() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Tea")
    for number in 0..<9 {
      let answer = try await server.post(
        #"{"page":"p\#(number)","inputs":[{"number":1,"action":"focus","field":"words"}]}"#)
      XCTAssertEqual(answer, #"{"applied":1}"#)
    }
    try await page.focus("title")
    try await page.write(" and milk")
    try await page.rest()
    let other = try await server.page("Ada")
    try await other.waitForField("title", toBe: "Tea and milk")
    try await page.close()
    try await other.close()
  }

  func testTwoWindowsOfAUserShareAnEditor() async throws {
    let server = try PlannerServer()
    let (first, second) = (try await server.page("Ada"), try await server.page("Ada", window: "other"))
    try await first.addTask("Tea")
    for page in [first, second] { try await page.act("open") }
    try await first.focus("title")
    try await first.write("!")
    try await first.rest()
    let title = try await second.field("title")
    XCTAssertEqual(title, "Tea")
    try await first.close()
    try await second.close()
  }

  func testASlowNetworkMixesUpInputs() async throws {
    let server = try PlannerServer()
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("notes")
    try await page.network(latency: 400)
    let text = "The quick brown fox jumps over the lazy dog."
    for character in text { try await page.write(String(character)) }
    let typed = try await page.field("notes")
    XCTAssertEqual(typed, text, "what is typed is shown at once")
    try await page.rest()
    let other = try await server.page("Ada")
    try await other.waitForField("notes", toBe: text)
    try await page.close()
    try await other.close()
  }

  func testAPageWithoutANetworkLosesItsText() async throws {
    // A window sleeps as soon as no page shows it.
    let server = try PlannerServer(["--sleep-after", "0", "--check-every", "1"])
    let page = try await server.page("Ada")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Tea")
    try await page.rest()
    try await page.network(isOffline: true)
    try await page.write(" and milk")
    try await page.wait(for: "Reconnecting", in: "#connection")
    try await Task.sleep(for: .seconds(2))
    try await page.network()
    try await page.rest()
    try await page.waitForField("title", toBe: "Tea and milk")
    let other = try await server.page("Ada")
    try await other.waitForField("title", toBe: "Tea and milk")
    try await page.close(expecting: "ERR_")
    try await other.close()
  }

  func testAnExpiredWindowTakesItsEditsAlong() async throws {
    // A window that slept at once could end between the click on "Continue" and its page.
    let server = try PlannerServer([
      "--sleep-after", "2", "--check-every", "1", "--expire-after", "0", "--expire-every", "1",
    ])
    let page = try await server.page("Ada Lovelace")
    try await page.act("new")
    try await page.focus("title")
    try await page.write("Half of a thought")
    try await page.rest()
    try await page.close()
    let start = try await BrowserPage(
      server.url + "/?test", user: BrowserUser(cookies: ["user": "Ada%20Lovelace"]), isReady: "document.body")
    for _ in 0..<100 where try await !start.text("body").contains("Half of a thought") {
      try await Task.sleep(for: .milliseconds(100))
      _ = try await start.value("location.reload()")
      try await start.wait("the page is back", "document.body")
    }
    let other = try await BrowserPage(
      server.url + "/?test", user: BrowserUser(cookies: ["user": "Ada"]), isReady: "document.body")
    let shown = try await other.text("body")
    XCTAssertFalse(shown.contains("Half of a thought"), "another person sees the edits")
    try await other.close()
    try await start.click("button[value=continue]", rests: false)
    try await start.wait(
      "the edits are back", "document.querySelector('[data-field=title]')?.value === 'Half of a thought'")
    try await start.close()
  }

  func testAnotherSiteSendsInputs() async throws {
    let server = try PlannerServer()
    for (origin, status) in [(nil, 200), (server.url, 200), ("https://example.com", 403)] as [(String?, Int)] {
      var request = URLRequest(url: URL(string: server.url + "/w/main/inputs")!)
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.setValue("user=Ada", forHTTPHeaderField: "Cookie")
      if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
      request.httpBody = Data(#"{"page":"p","inputs":[]}"#.utf8)
      let (_, response) = try await URLSession.shared.data(for: request)
      XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, status, origin ?? "no origin")
    }
  }

  func testAnInputSentTwiceIsAppliedTwice() async throws {
    let server = try PlannerServer()
    let new = #"{"page":"p","inputs":[{"number":1,"action":"new"},{"number":2,"action":"new"}]}"#
    for isAfterAKill in [false, false, true] {
      if isAfterAKill {
        server.kill()
        try server.start()
      }
      let answer = try await server.post(new)
      XCTAssertEqual(answer, #"{"applied":2}"#)
    }
    let page = try await server.page("Ada")
    let count = try await page.number("document.querySelectorAll('.editor').length")
    XCTAssertEqual(count, 2)
    // An input whose predecessor is missing waits for it.
    let late = try await server.post(#"{"page":"p","inputs":[{"number":4,"action":"new"}]}"#)
    XCTAssertEqual(late, #"{"applied":2}"#)
    try await page.close()
  }

  func testANameInOtherCaseIsAnotherPerson() async throws {
    let server = try PlannerServer()
    for name in ["Ada", "ada"] {
      let page = try await BrowserPage(server.url + "/", user: BrowserUser(), isReady: "document.body")
      _ = try await page.value("document.querySelector('[name=name]').focus()")
      try await page.write(name)
      try await page.click("button", rests: false)
      try await page.wait("the first spelling is shown", "document.body?.innerText.includes('You are Ada.')")
      try await page.close()
    }
  }

  func testStrangeInputsEndTheProcess() async throws {
    let server = try PlannerServer()
    let strange = [
      #"{"page":"q","inputs":[{"number":1,"action":"open","text":"Todo/01890a5d-ac96-774b-bcce-b302099a8057"}]}"#,
      #"{"page":"q","inputs":[{"number":2,"action":"edit","editor":"../x","field":"title","text":"x"}]}"#,
      #"{"page":"q","inputs":[{"number":3,"action":"scroll","row":-9223372036854775808,"start":-1}]}"#,
      #"{"page":"q","inputs":[{"number":4,"action":"scroll","row":9223372036854775807,"start":9223372036854775807}]}"#,
      #"{"page":"q","inputs":[{"number":5,"action":"edit","field":"words","text":"\u0000* \""}]}"#,
      #"{"page":"q","inputs":[{"number":6,"action":"revert","editor":"none","text":"1"}]}"#,
      #"{"page":"q","inputs":[{"number":7,"action":"unknown"}]}"#,
      #"{"page":"q","inputs":[{"number":9223372036854775807,"action":"unknown"}],"hasGap":true}"#,
      #"{"page":"q","inputs":[{"number":-5,"action":"new"}]}"#,
      "{", "",
    ]
    for (number, text) in strange.enumerated() {
      let answer = try await server.post(text)
      if number < 7 { XCTAssertEqual(answer, #"{"applied":\#(number + 1)}"#, text) }
    }
    let page = try await server.page("Ada")
    try await page.addTask("Tea")
    try await page.close()
  }
}

extension PlannerServer {
  func post(_ body: String) async throws -> String {
    var request = URLRequest(url: URL(string: url + "/w/main/inputs")!)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("user=Ada", forHTTPHeaderField: "Cookie")
    request.httpBody = Data(body.utf8)
    return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
  }
}

extension BrowserPage {
  /// Tells the page that nobody sees it, as in a tab behind others.
  func setHidden(_ isHidden: Bool) async throws {
    if isHidden { try await rest() }
    _ = try await value(
      "Object.defineProperty(document, 'hidden', { configurable: true, get: () => \(isHidden) }); "
        + "document.dispatchEvent(new Event('visibilitychange'))")
    if isHidden { try await wait("its inputs are safe", "!window.hasStream()") }
  }

  func network(latency: Int = 0, isOffline: Bool = false) async throws {
    try await send("Network.enable")
    try await send(
      "Network.emulateNetworkConditions",
      ["offline": isOffline, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1])
  }
}
