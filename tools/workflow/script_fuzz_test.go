package workflow_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// FuzzScript runs any text as a script. The run ends soon, with a result that is JSON or an
// error, and starts no more agents than it may.
func FuzzScript(f *testing.F) {
	for _, seed := range []string{
		reviewScript, killedScript, "", "return 1", "export const meta = {name: `x`, phases: [{title: 'a'}, 'b']}; return meta",
		"const meta = {...{}}", "const meta = {get name() { return 1 }}", "/* a */ // b\nexport const meta = {}", "for (;;) await agent('x')",
		"return parallel([1, Promise.reject(2), () => { throw 3 }])", "await workflow('w', args)", "return new Date(1, 2) + /a+/.exec('aa')",
		"class A { #x = 1; static y() {} get [Symbol.iterator]() {} }", "function* g() { yield* [1, 2] }; return [...g()]", "label: for (const [a, {b = 1}] of []) continue label",
		"return `${'x'.repeat(1000)}`", "throw agent", "return args?.a ?? 7n", "await Promise.any([agent('fail'), agent('b')])", "return await Promise.race([agent('a'), new Promise(() => {})])",
		"\xff\xfe", "`", "//", "/*", "#!x", "}{", "return\u2028 1", "<!-- x", "async", "yield", "await",
	} {
		f.Add(seed, `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, source, args string) {
		if !json.Valid([]byte(args)) {
			args = "null"
		}
		_, _, _, wrong := workflow.ParseScript(source)
		agents := 0
		e := workflow.Engine{
			MaxAgents: 20, MaxRunning: 1, MaxCompute: 200 * time.Millisecond,
			Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
				agents++
				return echo(ctx, r)
			},
			Named: []workflow.Named{{Name: "w", Script: "return agent('inner')"}},
		}
		began := time.Now()
		got, err := e.Script(t.Context(), source, json.RawMessage(args))
		require.LessOrEqual(t, agents, 20)
		if wrong != nil {
			require.EqualError(t, err, wrong.Error())
			return
		}
		if err == nil {
			require.True(t, json.Valid([]byte(got)), got)
		}
		require.Less(t, time.Since(began), time.Minute)
	})
}

// FuzzJournal reads any bytes as a journal.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("{\"version\":1,\"run\":\"wf-testtest\"}\n{\"start\":0,\"key\":\"a\"}\n{\"finish\":0,\"value\":1}\n{\"start\":1,\"key\":\"b\"}\n{\"end\":\"x\"}\n"))
	f.Add([]byte("{\"version\":1,\"run\":\"wf-testtest\"}\n{\"finish\":9}\n{\"start\":-1}\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := workflow.Journal{Text: data}
		n, err := j.Replayed()
		if err != nil {
			require.ErrorIs(t, err, workflow.ErrCorrupt)
			return
		}
		keys, ends := j.Agents()
		require.LessOrEqual(t, n, len(keys))
		require.LessOrEqual(t, n, len(ends))
	})
}
