/// The sentences of the help. A change of one is a change of this list.
enum HelpTexts {
  static let all = """
    Revert a transaction by a new one. Shows the changes first.
    Later changes of the same values are conflicts, and need '--mine' or '--theirs'.
    The position of the transaction.
    The answer to all conflicts: restore the earlier values, or keep the later changes.
    The author of the new transaction, by default the name of the user.
    Show, export, save or discard the unsaved edits that the store keeps.
    The ID of a draft, to show its changes.
    The ID of a draft to write as JSON lines, with all its edits.
    A file for '--export'. Without it, the standard output.
    The ID of a draft to save as a transaction.
    The answer to all conflicts of '--save': save the draft's values, or keep the later ones.
    The ID of a draft to discard with its edits.
    Show or remove the screens that the store keeps for the next launch.
    The name of a scene, to show its nodes.
    The name of a scene to remove.
    Make the change without a question.
    Show transactions, newest first.
    The most transactions to show.
    Only transactions of this author.
    Only changes of objects of this entity.
    Only transactions at or after a position, a date or a time.
    Only transactions up to a position, a date with its end, or a time.
    Show each change with old and new values.
    Show each new transaction once a process has saved it. Ctrl-C ends it.
    Begin with so many earlier transactions.
    Show the difference between two positions, as one change for each object.
    The first position, date or time.
    Show the transactions that changed an object, newest first.
    Only changes of this property.
    Show each property of an object with the transaction that changed it last.
    Show entities, counts, indexes, sizes, and the span of the log.
    Show the values of an object, now or at an earlier position.
    Show the objects that a fetch finds.
    Show only the number of objects.
    With '--json', '--count' writes {"count":3}, and '--explain' writes the parts of the plan.
    Show how the store finds the objects.
    Show the entities and their properties.
    Check the structure of the file. The store may be in use.
    Exits with 2 if the structure is damaged.
    Compare all objects, indexes and hashes with the log.
    Exits with 2 if anything differs. Reads the whole store.
    Copy the store, as it is at one moment. The store may be in use.
    Only reads the store, which may be on a read-only file system.
    A directory that does not exist, or is empty.
    Return unused space of a store to the file system. No process may have the store open.
    Make objects and indexes again from the log. First close the store in all programs.
    For a store whose log is sound, and whose objects or indexes are damaged. Changes all or nothing.
    Rebuild even if the log has lost its last transactions.
    Make a new store from the remains of a damaged one. First close that store in all programs.
    The damaged store stays as it is. Exits with 2 if the new store lacks anything.
    Delete old transactions from the log. Objects keep their present values.
    The file becomes shorter only with 'compact'.
    Keep the transactions of so many days.
    Keep the transactions at or after a position, a date or a time.
    Erase the past values of an object, for example personal data. No process may have the store open.
    The object, which may have been deleted.
    Only this property. You can repeat the option.
    Write objects as JSON lines or CSV. The store may be in use.
    A file, or a directory for several tables. Without it, the standard output.
    Insert and update the objects of a file, by their IDs.
    The file, a directory with tables, or - for the standard input.
    The form: jsonl or csv. Without it, the name of the file decides.
    The file may also be a draft of 'reprise drafts --export'. Then the edits of the draft are saved as one transaction.
    If the store has other values than the draft began with, nothing is imported.
    The author of the transactions.
    Only show the numbers of objects.
    Show the store in a web browser.
    The port. A free one unless given.
    Allow to revert transactions, and to resume, save and discard drafts.
    The author of reverts, and of drafts without an author. By default, the name of the user.
    Look into a Reprise store: its objects, its history, and the author of each change.
    Write one JSON object in each line.
    Use colours: auto, always or never.
    Write long output to the terminal at once, and not through $PAGER.
    """.split(separator: "\n").map(String.init)
}
