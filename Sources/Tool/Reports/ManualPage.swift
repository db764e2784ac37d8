import Foundation

/// The page for `man`, in the language of troff, from the description that ArgumentParser makes of a program.
package struct ManualPage {
  private struct Dump: Decodable { let command: Command }

  private struct Command: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let subcommands: [Command]?
    let arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }

    let kind: String
    let shouldDisplay: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
    let abstract: String?
  }

  /// The lines of the page.
  package let lines: [String]

  /// - Parameters:
  ///   - dump: The JSON of the option `--experimental-dump-help`.
  ///   - version: The version of the program.
  ///   - groups: The names of the groups with their commands.
  package init(_ dump: String, version: String, groups: [(name: String, commands: [String])] = []) throws {
    let command = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    let name = command.commandName
    var lines = [
      ".TH \(name.uppercased()) 1 \"\" \"\(name) \(Self.text(version))\" \"User Commands\"", ".SH NAME",
      "\(name) \\- \(Self.text(command.abstract ?? ""))", ".SH SYNOPSIS",
      "\(Self.bold(name)) \(Self.italic("command")) [\(Self.italic("options"))]", ".SH DESCRIPTION",
    ]
    lines += Self.paragraphs(command.discussion ?? "")
    lines.append(".SH COMMANDS")
    for group in groups {
      lines += [".TP", Self.bold(Self.text(group.name)), Self.text(group.commands.joined(separator: ", "))]
    }
    for command in command.subcommands ?? [] where command.shouldDisplay ?? true && command.commandName != "help" {
      lines += Self.section(command, of: name)
    }
    lines += [".SH OPTIONS OF ALL COMMANDS"]
    for (names, meaning) in [
      (["-h", "--help"], "Show the help of the command."), (["--version"], "Show the version of \(name)."),
    ] {
      lines += [".TP", names.map { Self.bold(Self.text($0)) }.joined(separator: ", "), Self.text(meaning)]
    }
    lines += [".SH EXIT STATUS"]
    for (status, meaning) in [
      ("0", "The command succeeded."), ("1", "An error, or a change that needs '--yes'."),
      ("2", "Damage: 'check', 'verify' or 'salvage' found that something is wrong or missing."),
      ("64", "A mistake in the options."), ("130", "Ctrl-C ended the command. It ends 'watch' and 'inspect' with 0."),
    ] {
      lines += [".TP", "\\fB\(status)\\fR", Self.text(meaning)]
    }
    self.lines = lines
  }

  private static func bold(_ text: String) -> String { "\\fB\(text)\\fR" }
  private static func italic(_ text: String) -> String { "\\fI\(text)\\fR" }

  private static func section(_ command: Command, of program: String) -> [String] {
    let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
    let words = arguments.filter { $0.kind == "positional" }.map { argument in
      let name = "\\fI\(text(argument.valueName ?? ""))\\fR"
      return argument.isOptional ? "[\(name)]" : name
    }
    var lines = [".SS \(program) \(text(command.commandName)) " + (words + ["[options]"]).joined(separator: " ")]
    lines += paragraphs(command.abstract ?? "")
    if let discussion = command.discussion { lines += [".PP"] + paragraphs(discussion) }
    // Each command has these.
    for argument in arguments where argument.valueName != "help" && argument.valueName != "version" {
      lines += [".TP", heading(argument), text(description(argument))]
    }
    return lines
  }

  private static func heading(_ argument: Argument) -> String {
    let value = "\\fI\(text(argument.valueName ?? ""))\\fR"
    if argument.kind == "positional" { return value }
    let names = (argument.names ?? []).map { name in
      "\\fB\(text((name.kind == "long" ? "--" : "-") + name.name))\\fR" + (argument.kind == "option" ? " \(value)" : "")
    }
    return names.joined(separator: ", ")
  }

  private static func description(_ argument: Argument) -> String {
    var text = argument.abstract ?? ""
    if let value = argument.defaultValue { text += " (default: \(value))" }
    return text
  }

  private static func paragraphs(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : Self.text(String($0)) }
  }

  /// Signs that troff obeys, or shows as other signs, which a shell does not know.
  private static let escapes: [Character: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\n": " ",
  ]

  /// The text without a meaning in troff.
  private static func text(_ text: String) -> String {
    let escaped = text.map { escapes[$0] ?? String($0) }.joined()
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  package func write(to output: Output) throws { for line in lines { try output.line(line) } }
}
