package workflow_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// echo is an agent that answers with its prompt. A prompt that begins with "fail" fails.
func echo(_ context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
	if strings.HasPrefix(r.Prompt, "fail") {
		return workflow.AgentResult{}, errors.New("it has no answer to " + r.Prompt)
	}
	if r.Prompt == "text" {
		return workflow.AgentResult{Text: "just words"}, nil
	}
	if r.Schema != nil {
		return workflow.AgentResult{Structured: json.RawMessage(`{"said":` + mustJSON(r.Prompt) + `}`)}, nil
	}
	return workflow.AgentResult{Text: r.Prompt}, nil
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestScriptVerbs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, args, want, wantErr string
	}{
		{name: "nothing", script: "1 + 1", want: `null`},
		{name: "value", script: "return {a: [1, 'x', null]}", want: `{"a":[1,"x",null]}`},
		{name: "args", script: "return args.n + 1", args: `{"n":41}`, want: `42`},
		{name: "no args", script: "return typeof args", want: `"undefined"`},
		{name: "agent", script: "return await agent('hello')", want: `"hello"`},
		{name: "agent unawaited is returned", script: "return agent('hello')", want: `"hello"`},
		{name: "schema", script: "const r = await agent('x', {schema: {type: 'object'}, label: 'l', agentType: 'Explore'}); return r.said", want: `"x"`},
		{name: "all", script: "return Promise.all([agent('a'), agent('b')])", want: `["a","b"]`},
		{name: "parallel", script: "return await parallel([() => agent('a'), async () => (await agent('b')) + '!', agent('c')])", want: `["a","b!","c"]`},
		{name: "parallel with a failure", script: "return await parallel([() => agent('a'), () => agent('fail b')])", want: `["a",null]`},
		{name: "parallel with a mistake", script: "return await parallel([() => agent('a'), () => nope()])", wantErr: "the workflow's script failed at line 1: ReferenceError: nope is not defined"},
		{name: "parallel of no array", script: "return await parallel(1)", wantErr: "parallel takes an array of functions"},
		{
			name: "pipeline", script: "return await pipeline([1, 2, 3], (x, item, i) => agent('a' + x + i), (x, item) => agent(x + item))",
			want: `["a101","a212","a323"]`,
		},
		{name: "parallel of an immense array", script: "const a = []; a.length = 4294967295; return parallel(a)", wantErr: "RangeError: an array of 4294967295 entries is too long: at most 10000; split the work"},
		{name: "pipeline of an immense array", script: "const a = []; a.length = 4294967295; return pipeline(a, x => agent(x))", wantErr: "RangeError: an array of 4294967295 entries is too long"},
		{name: "pipeline with a failure", script: "return await pipeline(['a', 'fail'], x => agent(x), x => agent(x + x))", want: `["aa",null]`},
		{name: "pipeline without stages", script: "return await pipeline([1, 2])", want: `[1,2]`},
		{name: "failure", script: "return await agent('fail it')", wantErr: "AgentError: an agent failed: agent 1 (fail it): it has no answer to fail it (started at line 1)"},
		{name: "failure caught", script: "try { await agent('fail it') } catch (e) { return [e instanceof AgentError, e instanceof Error, e.name] }", want: `[true,true,"AgentError"]`},
		{name: "schema without an answer", script: "return await agent('text', {schema: {type: 'object'}})", wantErr: "AgentError: an agent failed: agent 1 (text): it gave no value for the schema, but a text: just words"},
		{name: "schema that is no object", script: "return await agent('x', {schema: 'text'})", wantErr: "Error: the schema of the agent: "},
		{name: "schema of a list", script: "return await parallel([() => agent('x', {schema: {type: 'array'}})])", wantErr: "the root of the schema allows no object; make what it describes a property of one"},
		{name: "schema that is no schema", script: "return await agent('x', {schema: {type: 'nonsense'}})", wantErr: "Error: the schema of the agent: "},
		{name: "empty prompt", script: "await agent('')", wantErr: "TypeError: agent(prompt, options) needs a prompt"},
		{name: "unknown option", script: "await agent('x', {modl: 'y'})", wantErr: `unknown field "modl"; they are an object with description, type`},
		{name: "options of another type", script: "await agent('x', 7)", wantErr: "the options of agent"},
		{name: "line of an error", script: "const a = 1\n\nthrow new TypeError('bad')", wantErr: "failed at line 3: TypeError: bad"},
		{name: "thrown text", script: "throw 'just a text'", wantErr: "failed: just a text"},
		{name: "unhandled", script: "(async () => { await agent('x'); throw new Error('lost') })(); return 1", wantErr: "Error: lost"},
		{name: "handled late", script: "const a = agent('fail'), b = agent('b'); await b; try { await a } catch { return 'caught' }", want: `"caught"`},
		{name: "unawaited work is waited for", script: "let n = 0; [1, 2].forEach(async i => { await agent('x' + i); n++; log(n) }); return 'x'", want: `"x"`},
		{name: "deep recursion", script: "const f = () => f() + 1; f()", wantErr: "its functions call each other more than 2000 deep"},
		{name: "deep recursion that catches", script: "const f = () => { try { f() } catch { f() } }; f()", wantErr: "call each other more than 2000 deep"},
		{name: "generators of generators without end", script: "function* g(n) { yield* g(n + 1) }; for (const x of g(0)) {}", wantErr: "has a yield*, which does not run here"},
		{name: "yield* in a default of a parameter", script: "const f = (a = function* () { const {b = yield* [1]} = {} }) => `${a}`; return f", wantErr: "has a yield*, which does not run here"},
		{name: "generators in loops", script: "function* g(n) { if (n > 0) for (const x of g(n - 1)) yield x; yield n }; return [...g(3)]", want: `[0,1,2,3]`},
		{name: "repeated and filled texts", script: "return ['ab'.repeat(2), 'a'.repeat(), 'a'.padEnd(3, 'xy'), 'a'.padStart(2), 'a'.padEnd(2, undefined), ''.repeat(2 ** 40), ''.repeat.name]", want: `["abab","","axy"," a","a ","","repeat"]`},
		{name: "list in itself", script: "const a = [1]; a.push(a); return a.flat(Infinity).length", want: `1002`},
		{name: "flat", script: "return [[1, [2, [3]]].flat(), [1, [2, [3]]].flat(Infinity), [[1], 2].flat(undefined), [[1]].flat(0), [[1]].flat(NaN)]", want: `[[1,2,[3]],[1,2,3],[1,2],[[1]],[[1]]]`},
		{name: "proxy that is its own prototype", script: "const a = {}; Object.setPrototypeOf(a, new Proxy(a, {})); return a.x", wantErr: "Proxy is not defined; a workflow has no proxies"},
		{name: "for await", script: "for await (const x of [agent('a')]) log(x)", wantErr: "there is no for await and no async generator: await each value in an ordinary loop"},
		{name: "async generator", script: "async function* g() { yield 1 }; return 1", wantErr: "there is no for await and no async generator"},
		{name: "endless promise", script: "await new Promise(() => {})", wantErr: "waits for a promise that nothing settles"},
		{name: "circular result", script: "const a = {}; a.a = a; return a", wantErr: "TypeError"},
		{name: "shadowed verbs", script: "const args = 3, log = 4, meta = 5; return args + log + meta", want: `12`},
		{name: "meta", script: "export const meta = {name: 'n', phases: [{title: 'A'}, 'B']}\nreturn meta.name", want: `"n"`},
		{name: "phase and logs", script: "phase('One'); log('a', {b: 1}); console.error(new Error('x')); return 1", want: `1`},
		{name: "import", script: "import fs from 'fs'\n", wantErr: "is no JavaScript that runs here: line 1"},
		{name: "syntax", script: "return 1 +", wantErr: "is no JavaScript that runs here: line 2: "},
		{name: "closing braces", script: "}; (function() {", wantErr: "is no JavaScript that runs here"},
		{name: "closing braces and more", script: "} }), (function () { return async function () {", wantErr: "closes a brace that it has not opened"},
		{name: "unknown workflow", script: "await workflow('none')", wantErr: `no workflow has the name "none"`},
		{name: "workflow", script: "return await workflow('twice', {x: 'y'})", want: `["y","y"]`},
		{name: "workflow of Go", script: "return await workflow('go', 7)", want: `"n7"`},
		{name: "workflow in a workflow in a workflow", script: "return await workflow('deep')", wantErr: "a workflow that runs inside another starts no further one"},
		{name: "workflow that fails", script: "try { await workflow('fails') } catch (e) { return e.message }", want: `"the workflow's script failed at line 1: Error: no (started at line 1)"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := workflow.Engine{Start: echo, Named: []workflow.Named{
				{Name: "twice", Script: "return parallel([() => agent(args.x), () => agent(args.x)])"},
				{Name: "deep", Script: "return workflow('twice')"},
				{Name: "fails", Script: "throw new Error('no')"},
				{Name: "go", Run: func(ctx context.Context, r *workflow.Run) (any, error) {
					a, err := r.Agent(ctx, "n"+string(r.Args()), workflow.AgentOptions{})
					return a.Text, err
				}},
			}}
			got, err := e.Script(t.Context(), test.script, json.RawMessage(test.args))
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, test.want, got)
		})
	}
}

func TestScriptIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
	}{
		{name: "loop", script: "for (;;) {}"},
		{name: "loop that catches", script: "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }"},
		{name: "microtasks", script: "const f = () => Promise.resolve().then(f); await f()"},
		{name: "async loop", script: "for (;;) await null"},
		{name: "after an agent", script: "await agent('x'); for (;;) {}"},
		{name: "in a getter of the options", script: "await agent('x', {get model() { for (;;) {} }})"},
		{name: "in a thrown value", script: "throw {toString() { for (;;) {} }}"},
		{name: "in the result", script: "return {toJSON() { for (;;) {} }}"},
		{name: "in a sort", script: "[3, 2, 1].sort(() => { for (;;) {} })"},
		{name: "generator", script: "function* g() { for (;;) yield 1 }; for (const x of g()) {}"},
		{name: "waiting", script: "await agent('wait')"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped by the test")
			time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
			e := workflow.Engine{Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
				if r.Prompt == "wait" {
					<-ctx.Done()
				}
				return workflow.AgentResult{}, nil
			}}
			began := time.Now()
			_, err := e.Script(ctx, test.script, nil)
			require.ErrorIs(t, err, stop)
			require.Less(t, time.Since(began), workflow.MaxCompute, "which ends it otherwise")
		})
	}
}

// TestFaultOfTheEngine: the text of an error of Go's runtime is no help for the author of a script.
func TestFaultOfTheEngine(t *testing.T) {
	t.Parallel()
	err := workflow.Engine{Start: echo}.FailingEngine(t.Context())
	require.ErrorIs(t, err, workflow.ErrScript)
	require.ErrorContains(t, err, "the workflow's script has something that the engine of JavaScript fails at; write it in a simpler way")
}

// allowedGlobals are the globals of a script. Each computes with values of the script
// alone, or fails.
var allowedGlobals = strings.Fields(`
	Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
	Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError GoError
	globalThis JSON Math ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array
	Uint8ClampedArray Float32Array Float64Array DataView Map BigInt Set WeakMap WeakSet Reflect
	decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN`)

// TestGlobals walks over everything that a script can reach.
func TestGlobals(t *testing.T) {
	t.Parallel()
	got, err := workflow.Engine{Start: echo}.Script(t.Context(), `return Object.getOwnPropertyNames(globalThis)`, nil)
	require.NoError(t, err)
	var names []string
	require.NoError(t, json.Unmarshal([]byte(got), &names))
	require.ElementsMatch(t, allowedGlobals, names)

	// Every function that can be reached from the globals and the verbs, however it is
	// called, tells nothing that differs from run to run.
	got, err = workflow.Engine{Start: echo}.Script(t.Context(), `
		const seen = new Set(), calls = []
		const visit = (path, v, depth) => {
			if (v === null || (typeof v !== "object" && typeof v !== "function") || seen.has(v)) return
			seen.add(v)
			if (typeof v === "function") calls.push(path)
			for (const key of Reflect.ownKeys(v)) {
				const d = Reflect.getOwnPropertyDescriptor(v, key)
				for (const part of ["value", "get", "set"]) if (d && d[part]) visit(path + "." + String(key), d[part], depth + 1)
			}
			visit(path + ".__proto__", Object.getPrototypeOf(v), depth + 1)
		}
		visit("globalThis", globalThis); visit("async", async () => {}); visit("generator", function* () {}())
		for (const [n, v] of Object.entries({agent, pipeline, parallel, phase, log, workflow, console, AgentError})) visit(n, v)
		return calls.sort()`, nil)
	require.NoError(t, err)
	var functions []string
	require.NoError(t, json.Unmarshal([]byte(got), &functions))
	require.Greater(t, len(functions), 400)
	for _, f := range functions {
		for _, word := range []string{"require", "import", "fetch", "Timeout", "Interval", "process", "Atomics", "Shared", "Intl", "WebAssembly", "FinalizationRegistry", "WeakRef"} {
			require.NotContains(t, f, word)
		}
	}
}

// TestMachineIsOutOfReach tries what a script could learn of the machine.
func TestMachineIsOutOfReach(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, want, wantErr string
	}{
		{name: "random", script: "return Math.random()", wantErr: "Math.random is not available in a workflow script"},
		{name: "now", script: "return Date.now()", wantErr: "the time of day is not available"},
		{name: "new date", script: "return new Date()", wantErr: "the time of day is not available"},
		{name: "date as function", script: "return Date()", wantErr: "the time of day is not available"},
		{name: "date by constructor", script: "return new (new Date(0).constructor)()", wantErr: "the time of day is not available"},
		{name: "date by prototype", script: "return new Date.prototype.constructor()", wantErr: "the time of day is not available"},
		{name: "date by Reflect", script: "return Reflect.construct(Date, [], Object)", wantErr: "the time of day is not available"},
		{name: "date of a subclass", script: "class D extends Date {}; return [new D(5).getTime(), new D(5) instanceof Date]", want: "[5,true]"},
		{name: "date of a number", script: "return new Date(0).toISOString()", want: `"1970-01-01T00:00:00.000Z"`},
		{name: "date of parts", script: "return [new Date(2024, 0, 31, 7).getTime(), new Date(2024, 0, 31).getHours()]", want: "[1706684400000,0]"},
		{name: "date of text", script: "return [new Date('2024-01-31').getTime(), Date.parse('2024-01-31T07:00:00+01:00')]", want: "[1706659200000,1706680800000]"},
		{name: "date of text without a zone", script: "return new Date('2024-01-31T07:00')", wantErr: "a workflow has no time zone"},
		{name: "date of words", script: "return Date.parse('Jan 31 2024')", wantErr: "a workflow has no time zone"},
		{name: "zone", script: "const d = new Date(0); d.setHours(5); return [d.getTimezoneOffset(), d.getHours(), d.getTime()]", want: "[0,5,18000000]"},
		{
			name: "texts of a date", script: "const d = new Date(0); return [String(d), d.toLocaleString(), d.toDateString(), d.toTimeString(), d.toLocaleDateString(), d.toLocaleTimeString(), d + 1, `${d}`]",
			want: `["Thu, 01 Jan 1970 00:00:00 GMT","Thu, 01 Jan 1970 00:00:00 GMT","1970-01-01","00:00:00","1970-01-01","00:00:00","Thu, 01 Jan 1970 00:00:00 GMT1","Thu, 01 Jan 1970 00:00:00 GMT"]`,
		},
		{name: "eval", script: "return eval('1')", wantErr: "making code of text is not available"},
		{name: "indirect eval", script: "return (0, eval)('1')", wantErr: "making code of text is not available"},
		{name: "Function", script: "return new Function('return 1')()", wantErr: "making code of text is not available"},
		{name: "Function by constructor", script: "return (() => 1).constructor('return 1')()", wantErr: "making code of text is not available"},
		{name: "AsyncFunction", script: "return (async () => 1).constructor('return 1')()", wantErr: "making code of text is not available"},
		{name: "GeneratorFunction", script: "return (function* () {}).constructor('yield 1')()", wantErr: "making code of text is not available"},
		{name: "Function of a bound function", script: "return (() => 1).bind().constructor('return 1')()", wantErr: "making code of text is not available"},
		{name: "Function of a verb", script: "return agent.constructor('return 1')()", wantErr: "making code of text is not available"},
		{name: "function is an instance", script: "return (() => 1) instanceof Function", want: "true"},
		{name: "require", script: "require('fs')", wantErr: "require is not defined; a workflow reaches no files"},
		{name: "process", script: "return process.env", wantErr: "process is not defined; a workflow reaches no files"},
		{name: "fetch", script: "return fetch('http://localhost')", wantErr: "fetch is not defined; a workflow reaches no network"},
		{name: "setTimeout", script: "setTimeout(() => {}, 1)", wantErr: "setTimeout is not defined; a workflow has no clock"},
		{name: "import", script: "return import('fs')", wantErr: "a workflow has no import"},
		{name: "source map", script: "return 1\n//# sourceMappingURL=/etc/passwd", want: "1"},
		{name: "source map with a prefix", script: "return 1\n//# sourceMappingURL=file:///nowhere/at/all.map", want: "1"},
		{name: "stack", script: "return new Error('x').stack.includes('/')", want: "false"},
		{name: "locale", script: "return ['ä'.localeCompare('z'), (1234.5).toLocaleString()]", want: `[-1,"1234.5"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := workflow.Engine{Start: echo}.Script(t.Context(), test.script, nil)
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, test.want, got)
		})
	}
}

// TestTamperedScripts changes what the verbs could rest on. The run ends with a result or
// an error, and soon.
func TestTamperedScripts(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"Promise.prototype.then = () => { throw 1 }; return await agent('x')",
		"Promise.prototype.then = undefined; return agent('x')",
		"JSON.parse = JSON.stringify = () => 'no'; return await agent('x')",
		"Array.prototype.map = null; return await parallel([() => agent('x')])",
		"Object.prototype.then = function (f) { f(1) }; return await agent('x')",
		"Object.defineProperty(Object.prototype, 'agent', {get() { throw 1 }}); return await agent('fail')",
		"Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; return await pipeline([1], x => agent('x'))",
		"globalThis.Promise = 1; return await parallel([() => agent('x')])",
		"Promise.all = 1; return await parallel([() => agent('x')])",
		"return {then(f) { f(7) }}",
		"return {then() {}}",
		"throw {get stack() { throw 1 }, toString() { throw 2 }}",
		"throw Symbol('x')", "throw null", "throw undefined", "return Symbol('x')", "return () => 1", "return 1n",
		"throw new Proxy({}, {get() { throw 1 }})", "return new Proxy([], {})", "return '\\ud800'", "await agent('\\ud800')",
		"return agent(new Proxy({}, {}))", "agent = 1", "arguments = 1", "return this", "delete globalThis.JSON; return agent('x')",
		"for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} } return agent('x')",
	} {
		began := time.Now()
		e := workflow.Engine{Start: echo, MaxCompute: 300 * time.Millisecond}
		got, err := e.Script(t.Context(), script, nil)
		require.Less(t, time.Since(began), time.Minute, script)
		if err == nil {
			require.True(t, json.Valid([]byte(got)), "%s: %s", script, got)
		}
	}
}

// TestHugeValues ends scripts whose values are immense, as far as that is possible.
func TestHugeValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script, wantErr string
		compute               time.Duration
	}{
		{name: "result", script: "return 'x'.repeat(5 << 20)", compute: time.Minute, wantErr: "returns 5242882 bytes, at most 4194304"},
		{name: "prompt", script: "return agent('x'.repeat(2 << 20))", compute: time.Minute, wantErr: "has 2097152 bytes, at most 1048576"},
		{name: "text that no memory holds", script: "return 'xy'.repeat(2 ** 40)", compute: time.Minute, wantErr: "RangeError: repeat makes at most 67108864 characters"},
		{name: "filled text that no memory holds", script: "return [1].map(x => 'x'.padStart(2 ** 40))", compute: time.Minute, wantErr: "RangeError: padStart makes at most"},
		{name: "the other filled text", script: "return 'x'.padEnd(Infinity)", compute: time.Minute, wantErr: "RangeError: padEnd makes at most"},
		{name: "invalid length", script: "return new Array(-1)", compute: time.Minute, wantErr: "RangeError"},
		{name: "endless text of an error", script: "throw {toString() { for (;;) {} }}", wantErr: "has computed for too long"},
		{name: "growing text", script: "let s = 'x'; for (;;) s = s + s.slice(0, 10)", wantErr: "has computed for too long"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := workflow.Engine{Start: echo, MaxCompute: cmp.Or(test.compute, 200*time.Millisecond)}
			_, err := e.Script(t.Context(), test.script, nil)
			require.ErrorContains(t, err, test.wantErr)
		})
	}
}
