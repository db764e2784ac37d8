import Foundation

/// The charts of the restore rows.
struct RestoreCharts {
  let figures: [Figure]

  var overLog: Chart {
    chart("Cold process to restored, by the length of the log", "events in the log, 10k objects", "log", \.events)
  }

  var overObjects: Chart {
    chart("Cold process to restored, by the number of objects", "objects", "cold", \.objects)
  }

  /// The names of the files written.
  func write(to folder: String) throws -> [String] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try [("restore-over-log.svg", overLog), ("restore-over-objects.svg", overObjects)].compactMap {
      name, chart in
      guard let svg = chart.svg() else {
        Progress.note("\(name) is not written: it needs figures of two sizes")
        return nil
      }
      try svg.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
      return name
    }
  }

  /// Of the rows `restore.<family>.…` with dynamic linking.
  private func chart(_ title: String, _ axis: String, _ family: String, _ x: KeyPath<StoreShape, Int>) -> Chart {
    let series = Peer.allCases.compactMap { peer -> Chart.Series? in
      let points = figures.compactMap { figure -> (x: Double, y: Double)? in
        guard figure.peer == peer, figure.row.name.hasPrefix("restore.\(family)."), let summary = figure.summary,
          case .start(let shape, .dynamic) = figure.row.work
        else { return nil }
        return (Double(shape[keyPath: x]), summary.median)
      }
      return points.isEmpty ? nil : Chart.Series(peer: peer, points: points)
    }
    return Chart(title: title, axis: axis, series: series)
  }
}
