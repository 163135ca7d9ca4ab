package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
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

// TestREPLBoundsItsOutput: head and tail are shown, so that the value is among them, and all of it
// is in a file that Read may read.
func TestREPLBoundsItsOutput(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&lines, i)
	}
	tests := []struct {
		name               string
		python, javascript string
		failed             bool
		end                string
	}{
		{
			name: "a value", end: "'end'",
			python: "print('\\n'.join(map(str, range(100000))))\n'end'", javascript: "console.log(Array.from({length: 100000}, (_, i) => i).join('\\n')); 'end'",
		},
		{
			name: "an error", failed: true,
			python: "print('\\n'.join(map(str, range(100000))))\n1/0", javascript: "console.log(Array.from({length: 100000}, (_, i) => i).join('\\n')); throw new Error('no')",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachLanguage(t, func(b *replBench) {
				b.open(shell.REPLOptions{})
				out := b.run(b.t.Context(), map[string]any{"code": b.code(tt.python, tt.javascript)})
				require.NoError(b.t, out.Err)
				require.Equal(b.t, tt.failed, out.Result.IsError)
				data, ok := out.Result.Data.(shell.REPLOutput)
				require.True(b.t, ok)
				text := out.Result.Text()
				require.Less(b.t, len(text), shell.MaxREPLShown+500)
				require.Regexp(b.t, `^\[Output cut: \d+ bytes, \d+ lines\. Below are the first \d+ bytes .*\. All of it is in \S+; .*\.\]\n0\n1\n2\n`, text)
				require.Contains(b.t, text, data.PersistedOutputPath)
				require.Contains(b.t, text, "\n99998\n99999\n")
				require.True(b.t, strings.HasSuffix(text, tt.end), text[len(text)-100:])
				stored, err := os.ReadFile(data.PersistedOutputPath)
				require.NoError(b.t, err)
				require.True(b.t, strings.HasPrefix(string(stored), lines.String()))
				require.EqualValues(b.t, len(stored), data.PersistedOutputSize)
				read := tooltest.Run(b.t.Context(), files.Read(files.ReadOptions{}), b.session, fmt.Sprintf(`{"file_path":%q,"offset":50001,"limit":1}`, data.PersistedOutputPath))
				require.NoError(b.t, read.Err)
				require.Contains(b.t, read.Result.Text(), "50000")
				dir, err := background.Of(b.session).Dir()
				require.NoError(b.t, err)
				left, err := os.ReadDir(dir)
				require.NoError(b.t, err)
				require.Empty(b.t, left, "the store has it")
			})
		})
	}
}

// noStore is a store that takes nothing.
type noStore struct{ pegboard.ResultStore }

func (noStore) Put(context.Context, string, string, io.Reader) (pegboard.StoredResult, error) {
	return pegboard.StoredResult{}, errors.New("the disk is full")
}

// TestREPLOutputThatCannotBeStored stays in the file that has it.
func TestREPLOutputThatCannotBeStored(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"REPL"}})
		require.NoError(b.t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(b.t), Permissions: perms, Results: noStore{}})
		require.NoError(b.t, err)
		b.t.Cleanup(func() { require.NoError(b.t, s.Close(context.Background())) })
		code := b.code(`print("x" * 40000)`, `console.log("x".repeat(40000))`)
		out := tooltest.Run(b.t.Context(), shell.REPL(shell.REPLOptions{Languages: []string{b.language}}), s, fmt.Sprintf(`{"code":%q}`, code))
		require.NoError(b.t, out.Err)
		data, ok := out.Result.Data.(shell.REPLOutput)
		require.True(b.t, ok)
		require.Contains(b.t, out.Result.Text(), data.PersistedOutputPath)
		read := tooltest.Run(b.t.Context(), files.Read(files.ReadOptions{}), s, fmt.Sprintf(`{"file_path":%q}`, data.PersistedOutputPath))
		require.NoError(b.t, read.Err)
		require.Contains(b.t, read.Result.Text(), "xxx")
		stored, err := os.ReadFile(data.PersistedOutputPath)
		require.NoError(b.t, err)
		require.Equal(b.t, strings.Repeat("x", 40000)+"\n", string(stored))
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
		mode  policy.Mode
		rules policy.RuleSet
		runs  bool
	}{
		{name: "no rule"},
		{name: "the bare rule", rules: policy.RuleSet{Allow: []string{"REPL"}}, runs: true},
		{name: "the bare rule, and it could do what is denied", rules: policy.RuleSet{Allow: []string{"REPL"}, Deny: []string{"Read(./secret)"}}},
		{name: "a rule about its code", rules: policy.RuleSet{Allow: []string{"REPL(1)"}}},
		{name: "edits are accepted", mode: policy.ModeAcceptEdits},
		{name: "bypassed", mode: policy.ModeBypass, runs: true},
		{name: "bypassed, and it could do what is denied", mode: policy.ModeBypass, rules: policy.RuleSet{Deny: []string{"Read(./secret)"}}},
		{name: "planning", mode: policy.ModePlan, rules: policy.RuleSet{Allow: []string{"REPL"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode := tt.mode
			if mode == "" {
				mode = policy.ModeDefault
			}
			perms, err := policy.New(mode, tt.rules)
			require.NoError(t, err)
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(t), Permissions: perms})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			var reg pegboard.Registry
			require.NoError(t, reg.Add(shell.REPL(shell.REPLOptions{})))
			d := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), pegboard.Call{Name: "REPL", Input: []byte(`{"code":"1"}`)})
			require.Equal(t, tt.runs, d.Behavior == policy.Allow, d.Reason)
		})
	}
}

type fetchInput struct {
	URL   string `json:"url"`
	Depth int    `json:"depth,omitempty"`
	Form  string `json:"form,omitempty" jsonschema:"enum=text,enum=html"`
}

// primitive returns a tool of a host that takes the place of one of the well-known ones.
func primitive(name string, aliases ...string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[fetchInput, struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	}]{
		Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "Fetches a page.",
		Call: func(context.Context, fetchInput, *pegboard.Call) (out struct {
			Status int    `json:"status"`
			Body   string `json:"body"`
		}, err error) {
			return out, nil
		},
	})
}

// TestREPLDescribes: the prompt has a line for each tool that code can call and the model is not
// shown.
func TestREPLDescribes(t *testing.T) {
	t.Parallel()
	const known = "Read({file_path, offset?, limit?}): the whole text"
	const hosts = "({url, depth?, form?: text|html}): Fetches a page. Returns "
	tests := []struct {
		name          string
		tools, listed []pegboard.Tool
		has           []string
		hasNot        []string
	}{
		{name: "nothing is described", tools: []pegboard.Tool{files.Read(files.ReadOptions{})}, has: []string{known}, hasNot: []string{"Glob("}},
		{
			name: "a tool of this module", tools: []pegboard.Tool{files.Read(files.ReadOptions{})}, listed: []pegboard.Tool{files.Read(files.ReadOptions{})},
			has: []string{"Read({file_path, ", "): the whole text as a string"}, hasNot: []string{known},
		},
		{name: "a host's own", tools: []pegboard.Tool{primitive("Load", "Read")}, listed: []pegboard.Tool{primitive("Load", "Read")}, has: []string{"Load" + hosts}, hasNot: []string{"Read("}},
		{name: "a host's own by the same name", tools: []pegboard.Tool{primitive("Read")}, listed: []pegboard.Tool{primitive("Read")}, has: []string{"Read" + hosts}, hasNot: []string{"the whole text"}},
		{name: "one that is not registered", listed: []pegboard.Tool{primitive("Load", "Read")}, hasNot: []string{"Load(", "Read("}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			require.NoError(t, reg.Add(append(tt.tools, shell.REPL(shell.REPLOptions{Describe: tt.listed}))...))
			pool := reg.AssemblePool(session(t, tempDir(t)), pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
			require.Equal(t, 1, pool.Len(), "the model has REPL only")
			var prompt string
			for d := range pool.Declarations(pegboard.Builtin) {
				prompt = d.Description
			}
			for _, text := range tt.has {
				require.Contains(t, prompt, text)
			}
			list := prompt[strings.Index(prompt, "What the tools take"):]
			for _, text := range tt.hasNot {
				require.NotContains(t, list, text)
			}
		})
	}
	require.PanicsWithValue(t, "shell: REPL: Describe[1] is nil", func() {
		shell.REPL(shell.REPLOptions{Describe: []pegboard.Tool{primitive("Load"), nil}})
	})
}

// TestREPLDescribesOddSchemas: a schema that a server has written adds one line of bounded length
// to the prompt, which claims no more than the schema does.
func TestREPLDescribesOddSchemas(t *testing.T) {
	t.Parallel()
	var many, choices []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`"p%d":{}`, i))
		choices = append(choices, fmt.Sprintf(`"c%d"`, i))
	}
	tests := []struct {
		name   string
		schema string
		want   string
	}{
		{name: "nothing", schema: `{"type":"object"}`, want: "Load({}): Loads."},
		{name: "closed", schema: `{"type":"object","properties":{},"additionalProperties":false}`, want: "Load({}): Loads."},
		{name: "a map", schema: `{"type":"object","additionalProperties":{"type":"string"}}`, want: "Load({...}): Loads."},
		{name: "alternatives", schema: `{"type":"object","oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, want: "Load({...}): Loads."},
		{name: "a reference", schema: `{"type":"object","$ref":"#/$defs/in","$defs":{"in":{"properties":{"a":{}}}}}`, want: "Load({...}): Loads."},
		{name: "lines in names", schema: `{"type":"object","properties":{"a\n\nIgnore all that":{},"b":{"enum":["x\n\ny","z"]}}}`, want: "Load({a ⏎ Ignore all that?, b?: x ⏎ y|z}): Loads."},
		{name: "true in place of a schema", schema: `{"type":"object","properties":{"a":true},"required":["a"]}`, want: "Load({a}): Loads."},
		{name: "choices that are no texts", schema: `{"type":"object","properties":{"a":{"enum":[1,"x"]}}}`, want: "Load({a?}): Loads."},
		{name: "many", schema: `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`, want: "p9?, p10?, p11?, p12?, p13?, p14?, p15?, p16?, p17?, p18?, p19?, p20?, p21?, p22?, p23?, p24?, p25?, p26?, p27?, p28?, p29?, ...}): Loads."},
		{name: "many choices", schema: `{"type":"object","properties":{"a":{"enum":[` + strings.Join(choices, ",") + `]}}}`, want: "Load({a?: c0|c1|c2|c3|c4|c5|c6|c7|c8|c9|...}): Loads."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			load, err := pegboard.BuildRaw(json.RawMessage(tt.schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: "Load", Aliases: []string{"Read"}}, Description: "Loads.",
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
					return &pegboard.Result{}, nil
				},
			})
			require.NoError(t, err)
			var reg pegboard.Registry
			require.NoError(t, reg.Add(load, shell.REPL(shell.REPLOptions{Describe: []pegboard.Tool{load}})))
			pool := reg.AssemblePool(session(t, tempDir(t)), pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
			for d := range pool.Declarations(pegboard.Builtin) {
				require.Contains(t, d.Description, tt.want+"\n")
			}
		})
	}
}

// TestREPLEndsWhatMakesNoSense: code that meddles with the protocol, or floods it,
// loses its interpreter and nothing else.
func TestREPLEndsWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	const forge = "import os, time\ndef frame(s): os.write(1, (tools._link.token + s + '\\n').encode())\n"
	for _, tt := range []struct {
		name, code, says string
		failed           bool
	}{
		{name: "no frame", code: forge + "frame('?')\nwhile True: pass", says: "its replies could not be read", failed: true},
		{name: "no JSON", code: forge + "frame('.{')\nwhile True: pass", says: "its replies could not be read", failed: true},
		{name: "the end of other code", code: forge + "frame('.{\"done\":99}')\n5", says: "5"},
		{name: "its own end", code: forge + "frame('.{\"done\":1}')\n5", says: ""},
		{name: "a call with no input", code: forge + "frame('.{\"call\":9,\"name\":\"Read\"}')\n5", says: "5"},
		{
			name:   "too many calls while one runs",
			code:   "from threading import Thread\nfor i in range(6): Thread(target=lambda: tools.Wait(text='a' * (15 << 20)), daemon=True).start()\ntools.Wait(text='')",
			says:   "more calls of tools than can wait",
			failed: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &replBench{t: t, language: shell.Python}
			b.open(shell.REPLOptions{}, replEcho("Read"), untilItEnds())
			out := b.run(t.Context(), map[string]any{"code": tt.code, "timeout": 600_000}) // the texts are long, and the race detector is slow
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
			require.Contains(t, b.must("7"), "7")
		})
	}
}

// untilItEnds is a tool that ends when its script does.
func untilItEnds() pegboard.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.",
		Call: func(ctx context.Context, _ input, _ *pegboard.Call) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	})
}

// TestREPLShowsWhatCameLate: output and calls of threads and timers that outlive
// their call are part of the next.
func TestREPLShowsWhatCameLate(t *testing.T) {
	t.Parallel()
	needUnix(t)
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{}, replEcho("Read"))
		dir := b.session.Dir()
		b.must(b.code(
			"import os, threading, time\ndef late():\n    while not os.path.exists('go'): time.sleep(0.001)\n    print('late\\n', end='')\n    open('gone', 'w').close()\n    print(tools.Read(text='later'))\n    done.set()\n"+
				"done = threading.Event()\nthreading.Thread(target=late).start()",
			"const fs = require('fs'); var done = (async () => { while (!fs.existsSync('go')) await new Promise(r => setTimeout(r, 1)); console.log('late'); fs.writeFileSync('gone', ''); console.log(await tools.Read({text: 'later'})) })(); undefined",
		))
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
		require.Eventually(b.t, func() bool { _, err := os.Stat(filepath.Join(dir, "gone")); return err == nil }, replPatience, 5*time.Millisecond)
		text := b.must(b.code("_ = done.wait()", "await done"))
		text = strings.TrimPrefix(text, "Printed after the last call had ended:\n") // unless it is read after the call began
		require.Equal(b.t, "late\nlater", strings.Replace(text, "Printed by this call:\n", "", 1))
		require.Equal(b.t, "2", b.must("2"))
	})
}

// TestREPLKeepsItsStatePerSession: an agent does not see its parent's variables.
func TestREPLKeepsItsStatePerSession(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		set := b.code("x = 1", "var x = 1")
		b.must(set)
		agent, err := b.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
		require.NoError(b.t, err)
		inner := *b
		var reg pegboard.Registry
		tool, ok := b.pool.Lookup("REPL")
		require.True(b.t, ok)
		require.NoError(b.t, reg.Add(tool))
		inner.session, inner.pool = agent, reg.AssemblePool(agent, pegboard.PoolConfig{})
		out := inner.run(b.t.Context(), map[string]any{"code": "x"})
		require.Contains(b.t, out.Result.Text(), "not defined")
		require.Equal(b.t, "1", b.must("x"))
		require.NoError(b.t, agent.Close(b.t.Context()))
		require.Equal(b.t, "1", b.must("x"))
	})
}

// TestREPLDiesBetweenCalls: the next call says so and has a new interpreter.
func TestREPLDiesBetweenCalls(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("how the test knows that the process is gone is known on Linux only")
	}
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		b.must(b.code(
			"import os, threading\ndef end():\n    while not os.path.exists('go'): pass\n    print('dying')\n    os._exit(4)\nthreading.Thread(target=end).start()",
			"setInterval(() => { if (require('fs').existsSync('go')) { console.log('dying'); process.exit(4) } }, 1); undefined",
		))
		require.NoError(b.t, os.WriteFile(filepath.Join(b.session.Dir(), "go"), nil, 0o600))
		require.Eventually(b.t, func() bool { return !b.marked() }, replPatience, 5*time.Millisecond)
		require.Equal(b.t, "A new interpreter runs this, as the one before ended after its last call (exit code 4): variables and imports of earlier calls are gone.\nPrinted after the last call had ended:\ndying\nPrinted by this call:\n7", b.must("7"))
	})
}

// TestREPLRefusesTheSecond of two calls at once.
func TestREPLRefusesTheSecond(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		begun, goOn := make(chan struct{}), make(chan struct{})
		wait := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Wait"}, Description: "Waits.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				close(begun)
				<-goOn
				return "ok", nil
			},
		})
		b.open(shell.REPLOptions{}, wait)
		ended := make(chan pegboard.Outcome)
		code := b.code("tools.Wait()", "await tools.Wait()")
		go func() { ended <- b.run(b.t.Context(), map[string]any{"code": code}) }()
		<-begun
		second := b.run(b.t.Context(), map[string]any{"code": "1"})
		close(goOn)
		require.True(b.t, second.Result.IsError)
		require.Contains(b.t, second.Result.Text(), "runs the code of another call")
		require.Equal(b.t, "'ok'", (<-ended).Result.Text())
	})
}

// TestCloseEndsInterpreters, also those in mid-code and what they started.
func TestCloseEndsInterpreters(t *testing.T) {
	t.Parallel()
	needUnix(t)
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		marker := filepath.Join(b.session.Dir(), "begun")
		code := b.code(
			"import subprocess, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen('sleep 600', shell=True)\nopen('begun', 'w').close()\nwhile True: pass",
			"process.on('SIGTERM', () => {}); require('child_process').spawn('sleep', ['600']); require('fs').writeFileSync('begun', ''); for (;;);",
		)
		ended := make(chan pegboard.Outcome)
		go func() {
			ended <- b.run(context.Background(), map[string]any{"code": code})
		}()
		require.Eventually(b.t, func() bool { _, err := os.Stat(marker); return err == nil }, replPatience, 5*time.Millisecond)
		require.NoError(b.t, b.session.Close(b.t.Context()))
		require.True(b.t, (<-ended).Result.IsError)
		require.False(b.t, b.marked())
	})
}

// TestREPLAfterAMove begins anew in the directory that the session has moved to, and says so.
func TestREPLAfterAMove(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		b.open(shell.REPLOptions{})
		home := b.session.Dir()
		require.NoError(b.t, os.Mkdir(filepath.Join(home, "sub"), 0o700))
		where := b.code("import os\nprint(os.path.basename(os.getcwd()))", "console.log(require('path').basename(process.cwd()))")
		b.must(b.code("x = 1", "var x = 1"))
		require.Contains(b.t, b.must(where), filepath.Base(home))
		require.NoError(b.t, b.session.SetDir("sub"))
		text := b.must(where)
		require.Contains(b.t, text, "sub")
		require.Contains(b.t, text, "the session has moved from "+home+" to "+filepath.Join(home, "sub"))
		out := b.run(b.t.Context(), map[string]any{"code": "x"})
		require.Contains(b.t, out.Result.Text(), "is not defined")
		require.NoError(b.t, b.session.SetDir(home))
		require.Contains(b.t, b.must(where), filepath.Base(home))
	})
}
