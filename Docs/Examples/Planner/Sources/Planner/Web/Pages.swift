import Foundation
import HTTPTypes
import Hummingbird
import Reprise

/// The pages of the application, as whole documents. They can be read without a script.
@MainActor enum Pages {
  static func document(_ title: String, script: Bool, attributes: String = "", _ body: String) -> Response {
    let text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(HTML.escaped(title))</title>
      <link rel="icon" href="/icon.svg">
      <link rel="stylesheet" href="/planner.css">
      \(script ? "<script type=\"module\" src=\"/planner.js\"></script>" : "")
      </head>
      <body\(attributes)>
      \(body)
      </body>
      </html>
      """
    return Response(
      status: .ok, headers: headers(type: "text/html; charset=utf-8"),
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// The page runs only the scripts of the server, and no other page can show it in a frame.
  static nonisolated func headers(type: String) -> HTTPFields {
    var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
    let policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    for (name, value) in [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
    ] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return headers
  }

  static func login() -> Response {
    document(
      "Planner", script: false,
      """
      <main class="start"><h1>Planner</h1>
      <form method="post" action="/login">
      <label>Your name <input name="name" required maxlength="40" autofocus></label>
      <button class="primary">Begin</button></form></main>
      """)
  }

  /// The windows of a user, and the edits that no window has any more.
  static func start(_ user: String, windows: [WindowName], drafts: [DraftInfo]) -> Response {
    var body = "<main class=\"start\"><h1>Planner</h1><p>You are \(HTML.escaped(user)).</p>"
    body += "<p><a class=\"primary\" href=\"/w/\(UniqueID())\">New window</a></p>"
    if !windows.isEmpty {
      body += "<h2>Your windows</h2><ul>"
      for window in windows {
        body += "<li><a href=\"/w/\(window.id)\">Window \(HTML.escaped(window.id.prefix(8)))</a></li>"
      }
      body += "</ul>"
    }
    if !drafts.isEmpty {
      body += "<h2>Unsaved edits of closed windows</h2><ul>"
      for draft in drafts {
        let edits = draft.preview.map { "\($0)" }.joined(separator: "; ")
        body += """
          <li>\(HTML.escaped(edits))<form method="post" action="/drafts">
          <input type="hidden" name="id" value="\(HTML.escaped(draft.id))">
          <button name="do" value="continue">Continue</button> <button name="do" value="discard">Discard</button>
          </form></li>
          """
      }
      body += "</ul>"
    }
    return document("Planner", script: false, body + "</main>")
  }

  static func window(_ window: Window) -> Response {
    let renderer = PageRenderer(window)
    func region(_ region: Window.Region) -> String {
      "<div id=\"\(region.rawValue)\">\(renderer.html(of: region).text)</div>"
    }
    var attributes = " data-window=\"\(HTML.escaped(window.name.id))\""
    if let focus = window.screen.node.state.focus {
      attributes +=
        " data-focus=\"\(HTML.escaped(focus.field))\" data-start=\"\(focus.start)\" data-end=\"\(focus.end)\""
    }
    return document(
      "Planner", script: true, attributes: attributes,
      """
      <header><a href="/">Planner</a> <span>\(HTML.escaped(window.name.user))</span>
      <a href="/w/\(UniqueID())" target="_blank">New window</a> <span id="connection" role="status"></span></header>
      \(region(.notice))
      <main><nav>\(region(.side))</nav><section id="list">\(region(.rows))</section>
      <section id="detail">\(region(.dialog))\(region(.editors))</section></main>
      """)
  }
}
