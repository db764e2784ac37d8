import RepriseTool
import XCTest

/// The page for `man` lacks a part of the help, or troff obeys a text.
final class ManualPageTests: XCTestCase {
  private let dump = #"""
    {"serializationVersion": 0, "command": {"commandName": "sing", "abstract": "Sing songs.", "discussion":
    "First.\n\n.Second", "shouldDisplay": true, "subcommands": [
      {"commandName": "help", "shouldDisplay": true},
      {"commandName": "secret", "shouldDisplay": false},
      {"commandName": "hum", "abstract": "Hum.", "discussion": "Softly.", "shouldDisplay": true, "arguments": [
        {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": false,
         "valueName": "song", "abstract": "The song."},
        {"kind": "positional", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
         "valueName": "key", "abstract": "'c' or another key."},
        {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "speed",
         "names": [{"kind": "short", "name": "s"}, {"kind": "long", "name": "speed"}], "defaultValue": "3",
         "abstract": "The speed."},
        {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "loud",
         "names": [{"kind": "long", "name": "loud"}], "abstract": "C:\\loud."},
        {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false, "valueName": "hidden"},
        {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "help",
         "names": [{"kind": "long", "name": "help"}]}
      ]}]}}
    """#

  func testThePageLacksTheExitCodes() throws {
    let page = try ManualPage(dump, version: "1.0").lines.joined(separator: "\n")
      .replacing("\\(aq", with: "'").replacing("\\-", with: "-")
    for text in [
      "An error, or a change that needs '--yes'.",
      "Damage: 'check', 'verify' or 'salvage' found that something is wrong or missing.",
      "Ctrl-C ended the command. It ends 'watch' and 'inspect' with 0.",
    ] {
      XCTAssertTrue(page.contains(text), text)
    }
  }

  func testThePageHasTheWholeHelp() throws {
    XCTAssertEqual(
      try ManualPage(dump, version: "1.0", groups: [("Low", ["hum", "mumble"])]).lines.joined(separator: "\n"),
      #"""
      .TH SING 1 "" "sing 1.0" "User Commands"
      .SH NAME
      sing \- Sing songs.
      .SH SYNOPSIS
      \fBsing\fR \fIcommand\fR [\fIoptions\fR]
      .SH DESCRIPTION
      First.
      .PP
      \&.Second
      .SH COMMANDS
      .TP
      \fBLow\fR
      hum, mumble
      .SS sing hum \fIsong\fR [\fIkey\fR] [options]
      Hum.
      .PP
      Softly.
      .TP
      \fIsong\fR
      The song.
      .TP
      \fIkey\fR
      \(aqc\(aq or another key.
      .TP
      \fB\-s\fR \fIspeed\fR, \fB\-\-speed\fR \fIspeed\fR
      The speed. (default: 3)
      .TP
      \fB\-\-loud\fR
      C:\eloud.
      .SH OPTIONS OF ALL COMMANDS
      .TP
      \fB\-h\fR, \fB\-\-help\fR
      Show the help of the command.
      .TP
      \fB\-\-version\fR
      Show the version of sing.
      .SH EXIT STATUS
      .TP
      \fB0\fR
      The command succeeded.
      .TP
      \fB1\fR
      An error, or a change that needs \(aq\-\-yes\(aq.
      .TP
      \fB2\fR
      Damage: \(aqcheck\(aq, \(aqverify\(aq or \(aqsalvage\(aq found that something is wrong or missing.
      .TP
      \fB64\fR
      A mistake in the options.
      .TP
      \fB130\fR
      Ctrl\-C ended the command. It ends \(aqwatch\(aq and \(aqinspect\(aq with 0.
      """#)
    XCTAssertThrowsError(try ManualPage("{}", version: "1.0"))
  }
}
