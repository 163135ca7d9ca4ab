// Package workflow runs workflows: scripts, or functions of Go, that start agents and
// combine their results.
//
// A host makes [Workflows] with its agents.Agents and registers [Workflows.Tool]. The
// model then sends a script, or the name of a workflow of the host. The person approves it,
// unless a rule does, and it runs as a background task. [Workflows.Start] does the same
// for a host.
//
// # Scripts
//
// A script is the body of an async function in JavaScript, in strict mode, of at most
// [MaxScript] bytes. The value that it returns is the result, as JSON. The run ends when the script
// has returned and everything that it has started has ended.
//
//	export const meta = { name: "review", description: "Reviews files", phases: ["Find", "Check"] }
//	phase("Find")
//	const found = await pipeline(args.files, f => agent("Find mistakes in " + f))
//	phase("Check")
//	return await agent("Which of these are mistakes?\n" + found.join("\n"))
//
// The first statement may be const meta, with or without export: an object with a name,
// a description and a list of phases, for the person who approves it. Its values are
// written out. A phase is a text or an object with a title.
//
//   - agent(prompt, options) starts an agent and returns a promise of its text. With the
//     option schema, a JSON schema of an object, it is a promise of such an object. The other
//     options are description, type, model, effort, isolation, cwd and phase. The promise is
//     rejected with an AgentError if the agent fails.
//   - parallel(functions) calls all functions and returns a promise of their results. It has
//     null in the place of a function that ended with an AgentError; any other error
//     rejects it.
//   - pipeline(items, ...stages) takes each item through the stages, functions of (previous,
//     item, index), without waiting for the other items. Errors are those of parallel.
//   - workflow(name, args) runs a workflow of the host, one level deep, and returns a promise
//     of its result. Its agents count as those of the run.
//   - phase(title) and log(...values) write to the output file. console.log is log.
//   - args is the value that the caller has passed, or undefined.
//
// A promise that was rejected and that nothing has handled in the end makes the run fail.
//
// A script has the objects of the language but Atomics, SharedArrayBuffer and Proxy, its
// syntax but yield*, for await and async generators, and nothing of the machine: no files, network, programs, modules, timers, and no code that is made of text.
// Math.random fails. Date has no clock and no time zone: it takes a number, or a text such as
// 2006-01-02 or 2006-01-02T15:04:05Z, and everything is in UTC.
//
// A script that does not wait for an agent for [MaxCompute] is stopped, and so is one whose
// functions call each other more than 2,000 deep. The memory of a script is not limited: it
// runs in the process of the host, and only a process of its own could be bounded.
//
// # Functions of Go
//
// [Named].Run has the same verbs as methods of [Run].
//
// # Resuming
//
// Each run has a journal. A run that resumes another one gets the results of the agents
// that the other one started before the first that did not finish, in the order in which
// they ended then, as long as it asks the same in the same order; all other agents are
// started. An agent that failed did not finish.
//
// # Concurrency
//
//  1. All methods of Workflows may be called concurrently.
//  2. A run has one goroutine that conducts it, one for each function of it, and one for
//     each agent. One function at a time has the turn and runs; only then is the state of the
//     run used. A JavaScript runtime is used by the goroutine of its script alone.
//  3. The result of an agent is handed over when all functions wait. So the order of the
//     starts depends on nothing but the results and the order in which the agents end.
//  4. A run that is stopped ends within a second. If one of its functions does not return
//     by then, such as a built-in function of JavaScript with an immense argument, the run
//     ends without it, and closing the session waits for it and names it.
package workflow
