package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

func TestNestedSource(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"!", "a=>", "[", "(", "{", "a=>{", "`${", "f("} {
		_, _, _, err := workflow.ParseScript(strings.Repeat(part, workflow.MaxScript/len(part)))
		require.ErrorIs(t, err, workflow.ErrScript)
		require.Less(t, len(err.Error()), 1000, part)
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script       string
		want, about, wrong string
		phases             []string
	}{
		{name: "none", script: "return 1"},
		{name: "all", script: "export const meta = { name: 'n', 'description': \"d\", phases: [`a`, {title: 'b', detail: 'x'}], other: 7 }", want: "n", about: "d", phases: []string{"a", "b"}},
		{name: "without export", script: "\n// first\n/* more */ const meta = {name: 'n'}", want: "n"},
		{name: "after a comment", script: "\n// first\n/* more */ export const meta = {name: 'n'}", want: "n"},
		{name: "not first", script: "log(1); const meta = {name: 'n'}"},
		{name: "computed", script: "const meta = {name: 'a' + 'b'}", wrong: "meta.name: meta is an object of plain values"},
		{name: "template", script: "const meta = {name: `a${1}`}", wrong: "meta.name"},
		{name: "spread", script: "const meta = {...x}", wrong: "meta is an object of plain values"},
		{name: "getter", script: "const meta = {get name() { return 'x' }}", wrong: "meta is an object of plain values"},
		{name: "no object", script: "const meta = 1", wrong: "meta is an object of plain values"},
		{name: "phases", script: "const meta = {phases: 'a'}", wrong: "meta.phases"},
		{name: "phase without a title", script: "const meta = {phases: [{}]}", wrong: "meta.phases"},
		{name: "export of something else", script: "export const x = 1", wrong: "a workflow has no import and no export"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name, about, phases, err := workflow.ParseScript(test.script)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, name)
			require.Equal(t, test.about, about)
			require.Equal(t, test.phases, phases)
		})
	}
}

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
