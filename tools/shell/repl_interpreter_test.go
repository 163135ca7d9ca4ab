package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

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
