// Package tooltest helps to test tools and the loops that use tools. It works with
// any test framework: a defect is returned as an error.
//
// # Testing a tool
//
// [Run] runs one call through all stages that a call passes in production and returns
// its outcome:
//
//	out := tooltest.Run(ctx, weather.Tool(), nil, `{"city":"Berlin"}`)
//
// A nil session allows everything. Use [NewSession] to choose the directory, or a
// session of your own to test its permission rules.
//
// [Check] checks that a tool keeps the contract of [pegboard.Tool], given inputs that
// it should accept. One line in the tests of each tool is enough:
//
//	if err := tooltest.Check(weather.Tool(), `{"city":"Berlin"}`); err != nil {
//		t.Fatal(err)
//	}
//
// The comment of Check lists the rules and says when it runs the tool's Call.
//
// [CheckView] compares the view of an outcome, for a person, with its result.
//
// # Testing other code of a host
//
// A host may write more than tools. Each of these functions checks a contract, against the
// numbered rules in its comment, and needs nothing but the code under test:
//
//   - [CheckStore]: a [pegboard.ResultStore]
//   - [CheckInvoke]: the func of [pegboard.Executor].Invoke, which runs calls elsewhere
//   - [CheckAsker]: a [pegboard.Asker], which asks a person
//   - [CheckRanker]: a [pegboard.Ranker]
//   - [CheckLoop]: an agents.Loop
//   - [CheckRules]: permission rules, held against rows of calls and decisions; a log of
//     package audit can be the rows
//
// For example:
//
//	err := tooltest.CheckStore(func() (pegboard.ResultStore, error) { return bucket.Open(url) })
//
// An error joins one *[ContractError] for each violation, which says the rule, the purpose of
// the rule and the behavior that broke it. The comment of each function names the faults that
// it cannot see.
//
// # Testing code that uses tools
//
// A [Fake] is a tool that answers from a script and records its calls:
//
//	bash := tooltest.NewFake("Bash", tooltest.Reply{Text: "ok"})
//
// A [Reply] can also fail, panic, take time or report progress. [FakeConfig] gives a
// fake a schema, targets and traits; [StandIn] takes them from a real tool. Replies
// that share a [Barrier] prove that their calls run at the same time. [Asks] is a tool that is
// always asked about, and [Overflow] one whose results are too long.
//
// A [Model] plays a script of turns to the loop under test and checks that every call
// of every turn is answered exactly once. [Call] makes the calls of a turn. A [Provider] plays
// the turns over HTTP, in the forms of four APIs, to a loop that sends through an SDK.
//
// # Testing the texts that the model reads
//
// A [Transcript] is a conversation as text: files, calls, and each result as the model gets
// it. A [Replayer] runs it again with real tools, so that every change of a text shows. A step
// that follows the advice of a result must succeed. The transcripts of the tools that ship are
// in testdata/transcripts.
//
// The package is for tests. Shipped code must not import it.
package tooltest
