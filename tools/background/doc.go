// Package background keeps the tasks that go on while the conversation does:
// commands, monitors, agents.
//
// A conversation, which is a main session and all its forks, has one table of
// them: [Of]. A tool that starts work which should outlive its call adds it with
// [Tasks.Add] and says [Handle.Done] when it has ended; the host asks for the
// news with [Tasks.Notices] and hands them to the model, each once. Other tools
// and the host look at tasks, wait for them and stop them by their ids.
//
// # Owners
//
// A task belongs to the session that added it, which is told of its end. When
// that session is closed, [Policy] says what becomes of the task: as a rule a
// sub-agent's tasks end with it, and those of a background agent live on and
// report to the main session. Closing the main session stops all tasks and waits
// for them, so a host without a screen has nothing to do but that.
//
// The table learns of the main session when [Of], [Configure] or [Tasks.Notices]
// is called with it. As long as that did not happen, there is nobody to inherit
// a task, and it ends with its agent whatever its policy; the main session is
// told if it comes later.
//
// # Files
//
// [Tasks.Dir] is a place for output. A host that names it with [Configure] gets
// a small record for each task there, until its end was told. After a crash the
// records say which tasks ran, and those are Lost: listed, with their output
// files, and told of once. A program that dies in the very moment of telling may
// tell it again.
//
// # Concurrency
//
//  1. All functions and methods may be called concurrently, also from within
//     [Work.Stop], [Work.Output] and the function given to [Tasks.Watch].
//  2. Of several first users one makes the table, and all get that one.
//  3. A task ends once. By the time that [Tasks.Wait] or [Tasks.Stop] returns it,
//     its notice is there for [Tasks.Notices] to give or [Tasks.Acknowledge] to take
//     back; whichever is first has it.
//  4. Lists reach a watcher one at a time and in the order of the changes.
//  5. The only goroutines are those on which Work.Stop is called.
package background
