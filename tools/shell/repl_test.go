package shell_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// replStep is one call, written in both languages. An empty code skips the
// language.
type replStep struct {
	python, javascript string
	timeout            int // milliseconds
	restart            bool
	text               string // exact, if set
	says               []string
	never              []string
	failed             bool
}

const replLost = "variables and imports are gone"

// replTable is what both languages do alike.
var replTable = []struct {
	name  string
	steps []replStep
}{
	{name: "value", steps: []replStep{{python: "1 + 1", javascript: "1 + 1", text: "2"}}},
	{name: "value of many lines", steps: []replStep{{
		python:     "def f(n):\n    return n * 2\n\nx = f(4)\nx",
		javascript: "function f(n) {\n  return n * 2\n}\nconst x = f(4)\nx", text: "8",
	}}},
	{name: "no value", steps: []replStep{{python: "x = 1", javascript: "let x = 1", text: "(REPL ran and returned nothing)"}}},
	{name: "text as a value", steps: []replStep{{python: "'a'", javascript: "'a'", text: "'a'"}}},
	{name: "prints, both streams in order, then the value", steps: []replStep{{
		python:     "import sys\nprint('a', end='')\nprint('b', file=sys.stderr)\nprint('c')\n3",
		javascript: "process.stdout.write('a'); console.error('b'); console.log('c'); 3", text: "ab\nc\n3",
	}}},
	{name: "unicode", steps: []replStep{{python: "print('ü 漢字 🦄\\u2028')", javascript: "console.log('ü 漢字 🦄\\u2028')", text: "ü 漢字 🦄\u2028"}}},
	{name: "half a character", steps: []replStep{
		{python: "print('\\ud83e')", text: `\ud83e`},
		{javascript: "console.log('\\ud83e')", text: "\ufffd"},
	}},
	{name: "binary", steps: []replStep{{
		python:     "import os\n_ = os.write(1, b'a\\xff\\x00\\x1eb')",
		javascript: "require('fs').writeSync(1, Buffer.from([97, 255, 0, 30, 98])); undefined", text: "a\ufffd\x00\x1eb",
	}}},
	{name: "no newline at the end", steps: []replStep{
		{python: "print('a', end='')", javascript: "process.stdout.write('a'); undefined", text: "a"},
		{python: "print('b')", javascript: "console.log('b')", text: "b"},
	}},
	{name: "state", steps: []replStep{
		{python: "import math\nx = [1]\nclass C: pass", javascript: "const m = require('path'), x = [1]; class C {}"},
		{python: "x.append(math.floor(2.5)); c = C()", javascript: "x.push(2); var c = new C(); undefined"},
		{python: "len(x), type(c) is C", javascript: "[x.length, c instanceof C, typeof m.join]", says: []string{"2", "rue"}},
	}},
	{name: "a constant may be declared again", steps: []replStep{
		{python: "x = 1", javascript: "const x = 1"},
		{python: "x = 2", javascript: "const x = 2"},
		{python: "x", javascript: "x", text: "2"},
	}},
	{name: "exception, and the state is kept", steps: []replStep{
		{python: "x = 5\ndef f():\n    raise ValueError('no good')\n", javascript: "var x = 5\nfunction f() {\n  throw new TypeError('no good')\n}"},
		{
			python: "print('before')\nf()", javascript: "console.log('before')\nf()", failed: true,
			says: []string{"before", "no good", "Error", "REPL"}, never: []string{"driver", "node:inspector", "Session", "<string>"},
		},
		{python: "x", javascript: "x", text: "5"},
	}},
	{name: "what is no error object", steps: []replStep{{javascript: "throw {a: 1}", failed: true, text: "Uncaught { a: 1 }"}}},
	{name: "an error that cannot be shown", steps: []replStep{
		{python: "class E(Exception):\n    def __str__(self): raise ValueError\nprint('cannot be shown')\nraise E()", javascript: "throw {get [require('util').inspect.custom]() { throw 1 }}", failed: true, says: []string{"cannot be shown"}},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "too deep", steps: []replStep{
		{python: "def f(): f()\nf()", javascript: "function f() { f() }; console.log('in f')\nf()", failed: true, says: []string{"in f", "Error"}, never: []string{"<string>"}},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "syntax error", steps: []replStep{
		{python: "x = 1\nx = = 2", javascript: "let x = 1\nx = = 2", failed: true, says: []string{"SyntaxError"}, never: []string{"ast.py"}},
		{python: "x", javascript: "x", failed: true, says: []string{"is not defined"}},
	}},
	{name: "return outside a function", steps: []replStep{{python: "print('ran')\nreturn 1", javascript: "console.log('ran')\nreturn 1", failed: true, says: []string{"SyntaxError"}, never: []string{"ran\n"}}}},
	{name: "a comment at the end", steps: []replStep{{python: "1 # one", javascript: "1 // one", text: "1"}}},
	{name: "await", steps: []replStep{
		{javascript: "const x = await new Promise(r => setImmediate(() => r([1]))); x", text: "[ 1 ]"},
		{javascript: "x", text: "[ 1 ]"},
		{javascript: "await Promise.reject(new RangeError('late'))", failed: true, says: []string{"RangeError: late"}},
		{python: "import asyncio\nasync def f(): return 3\nasyncio.run(f())", text: "3"},
	}},
	{name: "imports", steps: []replStep{
		{python: "from os import path\npath.basename('a/b')", javascript: "const {basename} = await import('node:path'); basename('a/b')", text: "'b'"},
		{python: "'import(1)'", javascript: "'import(1)' // import (2)", text: "'import(1)'"},
		{javascript: "typeof (await import(`node:${'fs'}`)).readFileSync", text: "'function'"},
	}},
	{name: "modules of the directory", steps: []replStep{
		{
			python:     "open('mine.py', 'w').write('seven = 7')\nfrom mine import seven\nseven",
			javascript: "require('fs').writeFileSync('mine.mjs', 'export const seven = 7'); (await import('./mine.mjs')).seven", text: "7",
		},
	}},
	{name: "what code defines can be pickled", steps: []replStep{
		{python: "import pickle\nclass C: x = 1\npickle.loads(pickle.dumps(C())).x", text: "1"},
	}},
	{name: "input ends at once", steps: []replStep{
		{python: "input()", failed: true, says: []string{"EOFError"}},
		{python: "import sys\nsys.stdin.read()", text: "''"},
		{javascript: "require('fs').readFileSync(0).length", text: "0"},
		{javascript: "let n = 0; for await (const d of process.stdin) n += d.length; n", text: "0"},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "it ends itself", steps: []replStep{
		{python: "x = 1\nprint('bye')\nimport sys\nsys.exit(3)", javascript: "var x = 1; console.log('bye'); process.exit(3)", failed: true, says: []string{"exit code 3", replLost, "bye"}},
		{python: "x", javascript: "x", failed: true, says: []string{"is not defined"}, never: []string{"new interpreter"}},
		{python: "exit()", javascript: "process.exit()", says: []string{"exit code 0", replLost}},
	}},
	{name: "it is killed", steps: []replStep{
		{
			python:     "import os, signal\nprint('a')\nos.kill(os.getpid(), signal.SIGKILL)",
			javascript: "console.log('a'); process.kill(process.pid, 'SIGKILL'); for (;;);", failed: true, says: []string{"signal: killed", replLost, "a"},
		},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "time-out", steps: []replStep{
		{python: "x = 1\nprint('begun')", javascript: "x = 1; console.log('begun')"},
		{python: "print('on')\nwhile True: pass", javascript: "console.log('on'); for (;;);", timeout: 300, failed: true, says: []string{"longer than 300ms", "Variables and imports are kept", "on\n", "nterrupt"}, never: []string{replLost, "Inspector"}},
		{python: "x", javascript: "x", text: "1"},
	}},
	{name: "time-out of what waits", steps: []replStep{
		{python: "x = 1", javascript: "x = 1; undefined"},
		{python: "import threading\nthreading.Event().wait()", javascript: "await new Promise(() => {})", timeout: 300, failed: true, says: []string{"longer than 300ms"}},
		{python: "x", javascript: "x", text: "1"},
	}},
	{name: "time-out behind an await", steps: []replStep{
		{python: "import asyncio\nx = 1", javascript: "x = 1; undefined"},
		{python: "await asyncio.sleep(0)\nwhile True: pass", javascript: "await 1; for (;;);", timeout: 300, failed: true, says: []string{"longer than 300ms"}},
		{python: "await asyncio.sleep(1000)", javascript: "new Promise(() => {})", timeout: 300, failed: true, says: []string{"longer than 300ms"}},
		{python: "await asyncio.sleep(0, x)", javascript: "await x", text: "1"},
	}},
	{name: "time-out of a pattern", steps: []replStep{
		{python: "import re\nre.match(r'(a+)+$', 'a' * 50 + 'b')", javascript: "/(a+)+$/.test('a'.repeat(50) + 'b')", timeout: 300, failed: true, says: []string{"longer than 300ms"}, never: []string{replLost}},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "time-out of a child process", steps: []replStep{
		{python: "import os\nx = 1", javascript: "x = 1; undefined"},
		{python: "os.system('sleep 1000')", timeout: 300, says: []string{"longer than 300ms", "\n2"}},
		{javascript: "require('child_process').execSync('sleep 1000')", timeout: 300, failed: true, says: []string{"longer than 300ms"}},
		{python: "x", javascript: "x", text: "1"},
	}},
	{name: "time-out that is caught", steps: []replStep{
		{python: "def catch():\n    try:\n        while True:\n            x = 1\n            y = 2\n    except KeyboardInterrupt: print('caught')"},
		{python: "catch()", timeout: 2000, says: []string{"longer than 2s", "caught"}},
		{python: "1", text: "1"},
	}},
	{name: "time-out of what heeds no interrupt", steps: []replStep{
		{python: "x = 1", javascript: "x = 1; undefined"},
		{
			python:     "while True:\n    try:\n        while True:\n            y = 1\n            z = 2\n    except KeyboardInterrupt: pass",
			javascript: "require('child_process').execSync('trap \"\" INT; sleep 1000')", timeout: 300, failed: true, says: []string{"longer than 300ms", "could not be interrupted", replLost},
		},
		{python: "x", javascript: "x", failed: true, says: []string{"is not defined"}},
	}},
	{name: "time-out of what heeds no signal", steps: []replStep{
		{
			python:     "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
			javascript: "process.on('SIGTERM', () => {}); require('child_process').execSync('trap \"\" INT; sleep 1000')", timeout: 300, failed: true, says: []string{"longer than 300ms", replLost},
		},
	}},
	{name: "time-out that the default of the system ends", steps: []replStep{
		{python: "import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\nwhile True: pass", timeout: 300, failed: true, says: []string{"longer than 300ms", replLost}},
	}},
	{name: "what is awaited", steps: []replStep{
		{python: "import asyncio\nasync def main(): return 6\nn = await main()\nawait asyncio.sleep(0, n + 1)", javascript: "const main = async () => 6; const n = await main(); n + 1", says: []string{"7"}},
		{python: "main()", javascript: "main()", text: "6"},
		{python: "asyncio.run(main())", text: "6"},
		{python: "await asyncio.gather(main(), main())", says: []string{"[6, 6]"}},
		{javascript: "Promise.all([main(), main()])", says: []string{"[ 6, 6 ]"}},
		{python: "async def bad(): raise KeyError('gone')\nbad()", javascript: "(async () => { throw new RangeError('gone') })()", failed: true, says: []string{"gone"}},
		{javascript: "tools.Read({text: 'a'})", text: "'a'"},
		{python: "await asyncio.gather(*(asyncio.to_thread(tools.Read, {'text': t}) for t in 'ab'))", text: "['a', 'b']"},
		{python: "async with asyncio.Lock(): k = 3\nk", text: "3"},
	}},
	{name: "restart", steps: []replStep{
		{python: "x = 1", javascript: "var x = 1"},
		{restart: true, text: "A new interpreter was started."},
		{python: "x", javascript: "x", failed: true, says: []string{"is not defined"}},
		{python: "y = 1", javascript: "var y = 1"},
		{restart: true, python: "y", javascript: "y", failed: true, says: []string{"is not defined"}},
	}},
	{name: "child processes print", steps: []replStep{
		{
			python:     "import subprocess\nprint('a', end='')\nsubprocess.run('echo b; echo c >&2', shell=True, check=True)\nprint('d')",
			javascript: "process.stdout.write('a'); require('child_process').spawnSync('echo b; echo c >&2', {shell: true, stdio: 'inherit'}); console.log('d')",
			says:       []string{"ab\nc\n", "d"},
		},
	}},
	{name: "child processes get no input", steps: []replStep{
		{
			python:     "import subprocess\nsubprocess.run('cat; cat <&3', shell=True).returncode",
			javascript: "require('child_process').spawnSync('cat; cat <&3', {shell: true, stdio: 'inherit'}).status", says: []string{"3: "},
		},
		{python: "1", javascript: "1", text: "1"},
	}},
	{name: "forks", steps: []replStep{
		{python: "import os\npid = os.fork()\nprint('child' if pid == 0 else 'parent')\nif pid: print(os.waitpid(pid, 0)[1])", says: []string{"child", "parent", "0"}},
		{python: "import os\npid = os.fork()\nif pid == 0: raise ValueError('in the fork')\nos.waitpid(pid, 0)[1] >> 8", says: []string{"in the fork", "1"}},
		{python: "import os\npid = os.fork()\nif pid == 0: tools.Read(a=1)\nos.waitpid(pid, 0)[1] >> 8", says: []string{"a child process cannot call tools", "1"}},
		{python: "import multiprocessing as m\nwith m.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))", text: "[1, 2]"},
		{python: "pid > 0", text: "True"},
	}},
	{name: "what goes wrong elsewhere", steps: []replStep{
		{
			python:     "import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start(); t.join()\n'on'",
			javascript: "setImmediate(() => { throw new Error('ZeroDivision') }); Promise.reject(new Error('b')); await new Promise(r => setTimeout(r, 10)); 'on'",
			says:       []string{"ZeroDivision", "'on'"},
		},
	}},
	{name: "what looks like a frame", steps: []replStep{
		{python: "print('\\x1eAAAAAAAAAAAAAAAAAAAAAAAAAA.{\"done\":1}')", javascript: "console.log('\\x1eAAAAAAAAAAAAAAAAAAAAAAAAAA.{\"done\":1}')", says: []string{`A.{"done":1}`}},
	}},
	{name: "NUL in the code", steps: []replStep{
		{python: "'a\x00b'", failed: true, says: []string{"null bytes"}},
		{javascript: "'a\x00b'", text: `'a\x00b'`},
	}},
}

// TestREPL runs the table with both languages.
func TestREPL(t *testing.T) {
	t.Parallel()
	for _, tt := range replTable {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			needUnix(t)
			eachLanguage(t, func(b *replBench) {
				b.open(shell.REPLOptions{}, replEcho("Read"))
				for i, step := range tt.steps {
					step.check(b, i)
				}
			})
		})
	}
}

func (s replStep) check(b *replBench, number int) {
	t := b.t
	t.Helper()
	code := b.code(s.python, s.javascript)
	if code == "" && !s.restart {
		return
	}
	input := map[string]any{"code": code, "restart": s.restart}
	if s.timeout > 0 {
		input["timeout"] = s.timeout
	}
	out := b.run(t.Context(), input)
	require.NoError(t, out.Err)
	text := out.Result.Text()
	require.Equal(t, s.failed, out.Result.IsError, "step %d: %s", number, text)
	require.IsType(t, shell.REPLOutput{}, out.Result.Data)
	if s.text != "" {
		require.Equal(t, s.text, text, "step %d", number)
	}
	for _, says := range s.says {
		require.Contains(t, text, says, "step %d", number)
	}
	for _, never := range s.never {
		require.NotContains(t, text, never, "step %d", number)
	}
}

// TestREPLBoundsItsOutput: head and tail survive, the middle is counted, and the
// value comes last.
func TestREPLBoundsItsOutput(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		code := b.code(
			"print('\\n'.join(map(str, range(1, 1000001))))\n'end'",
			"console.log(Array.from({length: 1000000}, (_, i) => i + 1).join('\\n')); 'end'",
		)
		text := b.must(code)
		require.LessOrEqual(b.t, len(text), shell.MaxREPLShown+100)
		require.True(b.t, strings.HasPrefix(text, "1\n2\n3\n"))
		require.True(b.t, strings.HasSuffix(text, "\n999999\n1000000\n'end'"), text[len(text)-100:])
		require.Contains(b.t, text, "bytes omitted")
	})
}

// TestREPLPrintsInOrder: what much code and its child process print stands in the
// order of printing, before the value.
func TestREPLPrintsInOrder(t *testing.T) {
	t.Parallel()
	needUnix(t)
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		code := b.code(
			"import os, sys\nfor i in range(300):\n    print(i)\n    print(i, file=sys.stderr)\n    if i % 100 == 99: os.system('echo %d' % i)\n'end'",
			"for (let i = 0; i < 300; i++) { console.log(i); console.error(i); if (i % 100 == 99) require('child_process').execSync('echo ' + i, {stdio: 'inherit'}) } 'end'",
		)
		var want strings.Builder
		for i := range 300 {
			fmt.Fprintf(&want, "%d\n%d\n", i, i)
			if i%100 == 99 {
				fmt.Fprintln(&want, i)
			}
		}
		require.Equal(b.t, want.String()+"'end'", b.must(code))
	})
}

// TestREPLTakesManyCalls: they are answered each by its own reply.
func TestREPLTakesManyCalls(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		b.must(b.code("n = 0", "var n = 0"))
		for i := range 300 {
			require.Equal(b.t, fmt.Sprint(i+1), b.must(b.code("n += 1\nn", "n += 1")))
		}
	})
}

// TestREPLIsDecidedAsAWhole: code can do anything.
func TestREPLIsDecidedAsAWhole(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	for _, tt := range []struct {
		name  string
		mode  pegboard.Mode
		rules pegboard.RuleSet
		runs  bool
	}{
		{name: "no rule"},
		{name: "the bare rule", rules: pegboard.RuleSet{Allow: []string{"REPL"}}, runs: true},
		{name: "the bare rule, and it could do what is denied", rules: pegboard.RuleSet{Allow: []string{"REPL"}, Deny: []string{"Read(./secret)"}}},
		{name: "a rule about its code", rules: pegboard.RuleSet{Allow: []string{"REPL(1)"}}},
		{name: "edits are accepted", mode: pegboard.ModeAcceptEdits},
		{name: "bypassed", mode: pegboard.ModeBypass, runs: true},
		{name: "bypassed, and it could do what is denied", mode: pegboard.ModeBypass, rules: pegboard.RuleSet{Deny: []string{"Read(./secret)"}}},
		{name: "planning", mode: pegboard.ModePlan, rules: pegboard.RuleSet{Allow: []string{"REPL"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode := tt.mode
			if mode == "" {
				mode = pegboard.ModeDefault
			}
			perms, err := pegboard.NewPermissions(mode, tt.rules)
			require.NoError(t, err)
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(t), Permissions: perms})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			var reg pegboard.Registry
			require.NoError(t, reg.Add(shell.REPL(shell.REPLOptions{})))
			d := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), pegboard.Call{Name: "REPL", Input: []byte(`{"code":"1"}`)})
			require.Equal(t, tt.runs, d.Behavior == pegboard.Allow, d.Reason)
		})
	}
}
