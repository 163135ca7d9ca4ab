// Package tasks has the tools with which a model keeps a list of its work.
//
// [TodoWrite] is the simple one: each agent has a list of its own in memory, and writes all of it
// each time. [Todos] returns it.
//
//	registry.Add(tasks.TodoWrite(tasks.TodoOptions{}))
//
// The tools TaskCreate, TaskGet, TaskList and TaskUpdate work on a [List], which all agents of a
// conversation share, and other processes too if it is in a file. Tasks have ids, owners, and
// other tasks that they wait for. Gates.TodoList of package pegboard chooses between the two.
//
//	list, err := tasks.Open(filepath.Join(dir, "tasks.json"), tasks.Hooks{})
//	registry.Add(list.Tools()...)
//
// # Rules of a list
//
//   - Ids are decimal numbers. They count up, and no task gets the id of an earlier one, also
//     not of one that was deleted.
//   - If one task blocks another, the other is blocked by it. No task waits for itself, be it
//     by way of others. A task that is completed or deleted blocks no other.
//   - A task that is owned, or blocked, gets no other owner. An owner is released by setting an
//     empty one.
//   - A change is made as a whole or not at all.
//
// # The file
//
// The file is JSON, see docs/tasks.md, and is replaced as a whole by each change, so that it has
// either its old or its new content when a program is killed. Beside it is a file with the
// ending .lock, which a process locks while it reads and writes. A file that is not understood is
// never overwritten, see [List.Problem].
//
// # Concurrency
//
// All functions and methods may be called concurrently. Each change of a List, in whatever
// process, sees the changes that were made before it. Calls of the tools of a List that one
// message holds run in their order.
package tasks
