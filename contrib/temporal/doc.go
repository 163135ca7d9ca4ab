// Package temporal runs the calls of a [pegboard.Executor] as workflows of Temporal, so that a
// call survives the process that asked for it.
//
// The host has an [Engine], whose Invoke is the Invoke of its executor; everything before and
// after a call stays where it is. A [Worker] is a process of a fleet that has the same tools:
//
//	engine, err := temporal.NewEngine(temporal.Options{Client: c})
//	executor := pegboard.Executor{Invoke: engine.Invoke}
//
//	worker, err := temporal.NewWorker(c, temporal.DefaultQueue, temporal.WorkerOptions{Pool: assemble})
//	err = worker.Start()
//
// A call is one workflow with one activity. The id of the workflow is made of the session, the
// turn and the call, see [WorkflowID]: a host that was killed, and asks for the same call again,
// gets the result of the run that exists. The engine starts an activity once. It starts it again
// only if the call's traits say ReadOnly or Idempotent; any other call whose worker is lost fails
// with [pegboard.ErrOutcomeUnknown], which tells the model to look before it repeats anything.
//
// These stay in the process of the host: calls with [pegboard.Traits].Own, tools with
// [pegboard.Info].RequiresUser, and those for which [Options].Route returns "". Tools that make
// calls themselves, such as REPL, belong there, too, since a worker has no executor.
//
// Temporal keeps the input of each call, each result up to [MaxInline] bytes and the
// [Description] of the session in its history, for as long as the namespace retains it. A data converter of the client can encrypt them.
// Longer ones go through the session's [pegboard.ResultStore], which both sides must share.
package temporal
