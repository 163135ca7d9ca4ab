// Package tooltest helps to test tools, and loops that use tools. It works with
// any test framework: what can be wrong is returned as an error.
//
// # Testing a tool
//
// [Run] takes one call through everything a call goes through in production and
// returns its outcome:
//
//	out := tooltest.Run(ctx, weather.Tool(), nil, `{"city":"Berlin"}`)
//
// A nil session allows everything. Give one of [NewSession] to choose the
// directory, or one of your own to see what its rules make of the call.
//
// [Check] tells whether a tool keeps the contract of [pegboard.Tool], given
// inputs that it should accept. One line in the tests of each tool is enough:
//
//	if err := tooltest.Check(weather.Tool(), `{"city":"Berlin"}`); err != nil {
//		t.Fatal(err)
//	}
//
// The comment of Check lists the rules and says when it runs the tool's Call.
//
// # Testing what uses tools
//
// A [Fake] is a tool that answers from a script and remembers its calls:
//
//	bash := tooltest.NewFake("Bash", tooltest.Reply{Text: "ok"})
//
// A [Reply] can also fail, panic, take its time or report progress. [FakeConfig]
// gives a fake a schema, targets and traits; [StandIn] takes them from a real
// tool. A [Barrier] shared by replies proves that calls run at the same time.
//
// A [Model] says a script of turns to the loop under test and checks that every
// call of every turn is answered exactly once. [Call] makes the calls of a turn.
//
// The package is for tests. It must not be imported by what is shipped.
package tooltest
