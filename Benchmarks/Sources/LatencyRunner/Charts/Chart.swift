/// Lines over logarithmic axes, as an SVG that is legible on light and on dark pages.
struct Chart {
  struct Series {
    let peer: Peer
    /// Microseconds over counts.
    let points: [(x: Double, y: Double)]
  }

  let title: String
  let axis: String
  let series: [Series]

  private static let width = 760.0
  private static let height = 420.0
  private static let left = 70.0
  private static let right = 620.0
  private static let top = 56.0
  private static let bottom = 364.0

  /// Nil when there is nothing to draw a line through.
  func svg() -> String? {
    let points = series.flatMap(\.points)
    guard series.contains(where: { $0.points.count > 1 }),
      let x = LogScale(covering: points.map(\.x), from: Self.left, to: Self.right, room: 0.06),
      let y = LogScale(covering: points.map(\.y), from: Self.bottom, to: Self.top, room: 0.12)
    else { return nil }
    var svg = SVG(width: Int(Self.width), height: Int(Self.height), style: Self.style)
    svg.add("title", [:], text: title)
    svg.add("rect", ["class": "page", "width": "100%", "height": "100%"])
    svg.add("text", ["class": "title", "x": "16", "y": "26"], text: title)
    svg.add("text", ["x": "16", "y": "44"], text: "ms, median")
    drawGrid(x, y, on: &svg)
    let labels = Self.apart(series.map { y.position($0.points.last?.y ?? 1) })
    for (index, line) in series.enumerated() { draw(line, x, y, label: labels[index], on: &svg) }
    return svg.text
  }

  private func drawGrid(_ x: LogScale, _ y: LogScale, on svg: inout SVG) {
    for value in y.ticks {
      let at = SVG.coordinate(y.position(value))
      svg.add(
        "line",
        ["class": "grid", "x1": "\(Self.left)", "x2": "\(Self.right)", "y1": at, "y2": at])
      svg.add(
        "text", ["x": "\(Self.left - 8)", "y": at, "class": "end middle"], text: Numbers.text(value / 1_000))
    }
    for value in Set(series.flatMap(\.points).map(\.x)).sorted() {
      let at = SVG.coordinate(x.position(value))
      svg.add(
        "line",
        ["class": "grid", "x1": at, "x2": at, "y1": "\(Self.top)", "y2": "\(Self.bottom)"])
      svg.add(
        "text", ["x": at, "y": "\(Self.bottom + 20)", "class": "centre"], text: Self.short(value))
    }
    svg.add(
      "text", ["x": "\((Self.left + Self.right) / 2)", "y": "\(Self.bottom + 42)", "class": "centre"], text: axis)
  }

  private func draw(_ line: Series, _ x: LogScale, _ y: LogScale, label: Double, on svg: inout SVG) {
    let places = line.points.map { (SVG.coordinate(x.position($0.x)), SVG.coordinate(y.position($0.y))) }
    let name = line.peer.rawValue
    svg.add(
      "polyline", ["class": "line \(name)", "points": places.map { "\($0.0),\($0.1)" }.joined(separator: " ")])
    for place in places { svg.add("circle", ["class": "dot \(name)", "cx": place.0, "cy": place.1, "r": "3.5"]) }
    svg.add(
      "text", ["class": "name middle \(name)", "x": "\(Self.right + 12)", "y": SVG.coordinate(label)], text: name)
  }

  /// Moves labels that would lie on each other downwards, in the order of their heights.
  static func apart(_ heights: [Double], by distance: Double = 16) -> [Double] {
    var moved = heights
    var last = -Double.infinity
    for index in heights.indices.sorted(by: { heights[$0] < heights[$1] }) {
      moved[index] = max(heights[index], last + distance)
      last = moved[index]
    }
    return moved
  }

  private static func short(_ value: Double) -> String {
    value >= 1e6
      ? "\(Numbers.text(value / 1e6))M" : value >= 1e3 ? "\(Numbers.text(value / 1e3))k" : Numbers.text(value)
  }

  /// Own lines are heavy. The colours differ in lightness as well, for those who see them alike.
  private static let style = """
    .page { fill: #ffffff }
    text { font: 13px system-ui, sans-serif; fill: #424a53 }
    .title { font-size: 16px; font-weight: 600; fill: #1f2328 }
    .grid { stroke: #d1d9e0; stroke-width: 1 }
    .end { text-anchor: end }
    .centre { text-anchor: middle }
    .middle { dominant-baseline: central }
    .line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
    .line.reprise, .line.reprise-core { stroke-width: 3 }
    .name { font-weight: 600 }
    \(rules(["reprise": "#0550ae", "reprise-core": "#1a7f37", "grdb": "#bc4c00", "grdb-usual": "#9a6700",
      "lmdb": "#6e7781", "swift": "#8250df"]))
    @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 }
    text { fill: #b1bac4 }
    .title { fill: #f0f6fc }
    .grid { stroke: #30363d }
    \(rules(["reprise": "#6cb6ff", "reprise-core": "#57d163", "grdb": "#ff9b5e", "grdb-usual": "#e3b341",
      "lmdb": "#b1bac4", "swift": "#c297ff"]))
    }
    """

  private static func rules(_ colours: KeyValuePairs<String, String>) -> String {
    colours.map { ".line.\($0) { stroke: \($1) } .dot.\($0), .name.\($0) { fill: \($1) }" }.joined(separator: "\n")
  }
}
