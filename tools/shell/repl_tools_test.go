package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestREPLCallsTools: scripts use the tools that REPL mode hides, by name, and get
// text or an exception.
func TestREPLCallsTools(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("ü\n", 100_000)
	for _, tt := range []struct {
		name               string
		python, javascript string
		text               string // exact, if set
		says               []string
		failed             bool
	}{
		{name: "text", python: "tools.Read({'text': 'hi'})", javascript: "await tools.Read({text: 'hi'})", text: "'hi'"},
		{name: "by properties", python: "tools.Read(text='hi')", text: "'hi'"},
		{name: "by another name", python: "tools['mcp-x y']({'text': 'hi'})", javascript: "await tools['mcp-x y']({text: 'hi'})", text: "'hi'"},
		{name: "unicode", python: "print(tools.Read({'text': 'ü🦄\\n漢'}))", javascript: "console.log(await tools.Read({text: 'ü🦄\\n漢'}))", text: "ü🦄\n漢"},
		{
			name: "large", python: "s = 'ü\\n' * 100000\ntools.Read(text=s) == s", javascript: "const s = 'ü\\n'.repeat(100000); await tools.Read({text: s}) === s",
			says: []string{"rue"},
		},
		{name: "too large", python: "tools.Read(text='a' * (17 << 20))", javascript: "await tools.Read({text: 'a'.repeat(17 << 20)})", failed: true, says: []string{"larger than 16777216 bytes"}},
		{name: "no JSON", python: "tools.Read(text=object())", failed: true, says: []string{"TypeError"}},
		{name: "no input", python: "tools.Read()", javascript: "await tools.Read()", failed: true, says: []string{"ToolError", "text"}},
		{name: "no object", python: "tools.Read({'text': float('nan')})", javascript: "await tools.Read('text')", failed: true, says: []string{"Error"}},
		{name: "a failure", python: "tools.Fail()", javascript: "await tools.Fail({})", failed: true, says: []string{"ToolError", "it broke"}},
		{name: "a failure, caught", python: "try: tools.Fail()\nexcept ToolError as e: print('caught', e)", javascript: "try { await tools.Fail({}) } catch (e) { console.log('caught', e instanceof ToolError, e.message) }", says: []string{"caught", "it broke"}},
		{name: "refused", python: "tools.Refused(text='a')", javascript: "await tools.Refused({text: 'a'})", failed: true, says: []string{"ToolError", "Refused was denied"}},
		{name: "unknown", python: "tools.Nothing()", javascript: "await tools.Nothing({})", failed: true, says: []string{"ToolError", "Nothing"}},
		{name: "itself", python: "tools.REPL(code='1')", javascript: "await tools.REPL({code: '1'})", failed: true, says: []string{"ToolError", "REPL"}},
		{name: "many", python: "sum(int(tools.Read(text=str(i))) for i in range(300))", javascript: "let n = 0; for (let i = 0; i < 300; i++) n += Number(await tools.Read({text: String(i)})); n", text: "44850"},
		{
			name:       "many at once",
			python:     "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(20) as p: print(sum(p.map(lambda i: int(tools.Read(text=str(i))), range(300))))",
			javascript: "(await Promise.all(Array.from({length: 300}, (_, i) => tools.Read({text: String(i)})))).map(Number).reduce((a, b) => a + b)", text: "44850",
		},
		{name: "a promise nobody waits for", javascript: "tools.Read({text: 'a'}); 1", text: "1"},
		{name: "no thenable", javascript: "await tools; typeof tools.then + JSON.stringify(tools)", text: "'undefined{}'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachLanguage(t, func(b *replBench) {
				code := b.code(tt.python, tt.javascript)
				if code == "" {
					b.t.Skip("the table has no code for it")
				}
				b.open(shell.REPLOptions{}, replEcho("Read"), replEcho("mcp-x y"), replEcho("Refused"), failing())
				_, listed := b.pool.Lookup("Read")
				require.False(b.t, listed, "REPL mode hides what scripts call")
				out := b.run(b.t.Context(), map[string]any{"code": code})
				require.NoError(b.t, out.Err)
				require.Equal(b.t, tt.failed, out.Result.IsError, out.Result.Text())
				if tt.text != "" {
					require.Equal(b.t, tt.text, out.Result.Text())
				}
				for _, says := range tt.says {
					require.Contains(b.t, out.Result.Text(), says)
				}
				require.Less(b.t, len(out.Result.Text()), len(large))
			})
		})
	}
}

func failing() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Fail"}, Description: "Fails.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", errors.New("it broke") },
	})
}

// TestREPLIsTheParent of what its code calls, and its clock stands still meanwhile.
func TestREPLIsTheParent(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		parents := make(chan string, 1)
		slow := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Slow"}, Description: "Takes longer than code may.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				parents <- c.Parent().Name + " " + c.ID
				select {
				case <-time.After(2500 * time.Millisecond): // longer than the time-out below
					return "slept", nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			},
		})
		b.open(shell.REPLOptions{}, slow)
		b.must("1") // the start of the interpreter would count
		code := b.code("tools.Slow()", "await tools.Slow()")
		out := b.run(b.t.Context(), map[string]any{"code": code, "timeout": 2000})
		require.Equal(b.t, "'slept'", out.Result.Text())
		require.Equal(b.t, "REPL 1/1", <-parents)
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
			"import os, threading, time\ndef late():\n    while not os.path.exists('go'): time.sleep(0.001)\n    print('late')\n    open('gone', 'w').close()\n    print(tools.Read(text='later'))\n    done.set()\n"+
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

// TestREPLIsCancelled: the process ends, and the next call says what is lost.
func TestREPLIsCancelled(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		begun := make(chan struct{})
		tell := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Tell"}, Description: "Tells that code runs.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { close(begun); return "", nil },
		})
		b.open(shell.REPLOptions{}, tell)
		ctx, cancel := context.WithCancel(b.t.Context())
		ended := make(chan pegboard.Outcome)
		code := b.code("tools.Tell()\nwhile True: pass", "await tools.Tell(); for (;;);")
		go func() { ended <- b.run(ctx, map[string]any{"code": code}) }()
		<-begun
		cancel()
		require.True(b.t, (<-ended).Result.IsError)
		require.Equal(b.t, "A new interpreter runs this, as the last call was cancelled: variables and imports of earlier calls are gone.\n7", b.must("7"))
		require.Equal(b.t, "8", b.must("8"), "it is said once")
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

// TestREPLOptions: languages, programs that are missing, times.
func TestREPLOptions(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	for _, tt := range []struct {
		name   string
		o      shell.REPLOptions
		input  map[string]any
		says   string
		failed bool
	}{
		{name: "the first language is the default", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1 if True else 2"}, says: "1"},
		{name: "not offered", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1", "language": "javascript"}, says: "write the code in python", failed: true},
		{name: "unknown", input: map[string]any{"code": "1", "language": "ruby"}, says: "language", failed: true},
		{name: "blank", input: map[string]any{"code": " \n"}, says: "the code is blank", failed: true},
		{name: "missing", o: shell.REPLOptions{Python: []string{"no-such-python"}}, input: map[string]any{"code": "1"}, says: "the interpreter of python could not be started", failed: true},
		{name: "not an interpreter", o: shell.REPLOptions{Python: []string{"false"}}, input: map[string]any{"code": "1"}, says: "exit code 1", failed: true},
		{name: "time is cut", o: shell.REPLOptions{MaxTimeout: 200 * time.Millisecond}, input: map[string]any{"code": "while True: pass", "timeout": 600_000_000}, says: "longer than 200ms", failed: true},
		{name: "environment", o: shell.REPLOptions{Env: []string{"A=b", "PATH=" + os.Getenv("PATH")}}, input: map[string]any{"code": "import os\nos.environ['A']"}, says: "'b'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &replBench{t: t}
			b.open(tt.o)
			out := b.run(t.Context(), tt.input)
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
		})
	}
	require.Panics(t, func() { shell.REPL(shell.REPLOptions{Languages: []string{"ruby"}}) })
	require.NoError(t, tooltest.Check(shell.REPL(shell.REPLOptions{}), `{"code":"1"}`, `{"code":"","restart":true}`, `{"code":"1","language":"javascript","timeout":1000,"description":"One"}`))
	tool := shell.REPL(shell.REPLOptions{Languages: []string{shell.JavaScript}})
	d, _ := tool.Declare(nil)
	require.Contains(t, d.Description, "tools.Read(")
	require.NotContains(t, d.Description, "Python")
	_, err := tool.Call(t.Context(), &pegboard.Call{Name: "REPL", Input: []byte(`{"code":"1"}`)})
	require.ErrorIs(t, err, pegboard.ErrDenied)
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
			out := b.run(t.Context(), map[string]any{"code": tt.code})
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
