import RepriseDemonstration

@main struct Demo {
  static func main() async { await Demonstration.run() }
}
