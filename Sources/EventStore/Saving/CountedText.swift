/// A number with its noun, for example "1 row" or "2 rows".
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
