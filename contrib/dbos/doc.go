// Package dbos records the calls of a [pegboard.Executor] as workflows of DBOS, so that what a
// call has done outlives the process, in a file of SQLite or in Postgres, without a server.
//
//	d, err := sdk.NewContext(ctx, sdk.Config{AppName: "agent", DatabaseURL: "sqlite:calls.db", ApplicationVersion: "1"})
//	engine := dbos.NewEngine(d)
//	err = sdk.Launch(d)
//	executor := pegboard.Executor{Invoke: engine.Invoke}
//
// The tools run in this process, as without an Engine. A process that was killed, is started
// again, and asks for the calls of its message again, see [pegboard.Call.StableID], gets the
// results of those that had ended. Those that had not begun run. One that had begun and not ended
// runs again only if its traits say ReadOnly or Idempotent; any other fails with
// [pegboard.ErrOutcomeUnknown], which tells the model to look before it repeats anything.
//
// The sdk is github.com/dbos-inc/dbos-transact-golang/dbos. SQLite needs its package
// dbos/driver/sqlite, too. ApplicationVersion must stay what it is: DBOS leaves the workflows of
// another version alone, and by default each build of a program is another version. Processes
// that share a database need a Config.ExecutorID each: Launch takes over what a process of the
// same name has left.
//
// These are not recorded: calls without a stable id, and those with [pegboard.Traits].Own, whose
// effect ends with the process anyway.
//
// The database has the results of all calls, whole, for as long as the program keeps its
// workflows. It does not have their inputs, but a digest of each.
package dbos
