package workflow_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

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
