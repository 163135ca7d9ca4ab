// Package background keeps the tasks of a conversation that run beside it: commands,
// monitors, agents.
//
// A conversation is a main session and all its forks. It has one task table, which
// [Of] returns. A tool that starts work which should outlive its call adds the work
// with [Tasks.Add] and calls [Handle.Done] when the work has ended.
// [pegboard.Session.Notifications] hands the notices of a session's tasks to the host, which
// passes them to the model; each notice is returned once. A host that wants them apart
// calls [Tasks.Notices].
// Tools and the host can list tasks, wait for them and stop them by their ids.
//
// A host that has set [pegboard.KeyNotify] is told, for the person, of each task that has
// completed or failed.
//
// # Owners
//
// A task belongs to the session that added it, and its end is reported to that
// session. When the session is closed, [Policy] decides about the task: by default
// the tasks of a sub-agent are stopped, and those of a background agent go on and
// report to the main session. Closing the main session stops all tasks and waits for
// them, so a host without a user interface has to do nothing else.
//
// The table learns of the main session when [Of], [Configure] or [Tasks.Notices] is
// called with it. Until then no session can take over a task: it is stopped when its
// agent ends, whatever its policy, and the main session is notified if it joins
// later.
//
// # Files
//
// [Tasks.Dir] is the directory for output files. If the host has chosen it with
// [Configure], the table also keeps a small record of each task there until the end
// of the task has been reported. After a crash the records show which tasks were
// running. Those tasks are Lost: they are listed with their output files and reported
// once. If the program crashes while it reports an end, the next run may report it
// again.
//
// # Concurrency
//
//  1. All functions and methods may be called concurrently, also from within
//     [Work.Stop], [Work.Output] and the function given to [Tasks.Watch].
//  2. If several goroutines use a conversation first, one of them makes the table
//     and all of them get that table.
//  3. A task ends once. When [Tasks.Wait] or [Tasks.Stop] returns an ended task, its
//     notice is already queued: Session.Notifications or [Tasks.Notices] returns it, or
//     [Tasks.Acknowledge] removes it, whichever is called first.
//  4. A watcher gets the lists one at a time and in the order of the changes.
//  5. The package starts goroutines only to call Work.Stop.
package background
