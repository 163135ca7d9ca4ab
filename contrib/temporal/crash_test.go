package temporal_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The environment of a process of a crash round.
const (
	envTemporal = "PEGBOARD_TEMPORAL"     // the program of Temporal's CLI, for the test itself
	envRounds   = "PEGBOARD_CRASH_ROUNDS" // how many
	envRole     = "PEGBOARD_CRASH_ROLE"   // worker or host
	envAddress  = "PEGBOARD_CRASH_ADDRESS"
	envFolder   = "PEGBOARD_CRASH_FOLDER"
	envSession  = "PEGBOARD_CRASH_SESSION"
)

const (
	crashQueue   = "crash"
	crashCalls   = 200
	crashWorkers = 4
)

// A crashOutcome is what the host of a round was told of a call.
type crashOutcome struct {
	ID   string
	Kind string // ok, unknown, not run, or the error
}

// TestCrashRounds kills workers, the server and the host with SIGKILL in the midst of a message
// of 200 calls. Every call has one outcome, and none that is neither read-only nor idempotent
// runs twice. It needs Temporal's CLI: crash.sh installs it and runs this test.
func TestCrashRounds(t *testing.T) {
	program := os.Getenv(envTemporal)
	if program == "" {
		t.Skip(envTemporal + " does not name the program of Temporal's CLI; crash.sh installs it")
	}
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv(envRounds)); err == nil {
		rounds = n
	}
	c := &crashRun{t: t, program: program, folder: t.TempDir(), address: freeAddress(t)}
	c.startServer()
	t.Cleanup(func() { c.server.kill() })
	t.Logf("%-7s%-12s%8s%10s%11s%9s%9s%6s", "round", "calls", "", "ran once", "ran twice", "unknown", "not run", "lost")
	total := map[string]*crashRow{}
	for round := range rounds {
		for kind, row := range c.play(round) {
			t.Logf("%-7d%s", round+1, row.line(kind))
			if total[kind] == nil {
				total[kind] = &crashRow{}
			}
			total[kind].add(row)
		}
	}
	for _, kind := range crashTools {
		t.Logf("%-7s%s", "all", total[kind].line(kind))
		require.Zero(t, total[kind].lost)
	}
	require.Zero(t, total["Pay"].twice, "calls that change something and ran twice")
	require.NotZero(t, total["Pay"].once)
}

// crashTools are a tool that changes something, one that is idempotent and one that only reads.
var crashTools = []string{"Pay", "Save", "Look"}

// A crashRow counts the calls of one tool.
type crashRow struct{ calls, once, twice, unknown, notRun, lost int }

func (r *crashRow) add(o *crashRow) {
	r.calls, r.once, r.twice = r.calls+o.calls, r.once+o.once, r.twice+o.twice
	r.unknown, r.notRun, r.lost = r.unknown+o.unknown, r.notRun+o.notRun, r.lost+o.lost
}

func (r *crashRow) line(kind string) string {
	return fmt.Sprintf("%-12s%8d%10d%11d%9d%9d%6d", kind, r.calls, r.once, r.twice, r.unknown, r.notRun, r.lost)
}

// A crashRun is a server, and the processes that talk to it.
type crashRun struct {
	t                        *testing.T
	program, folder, address string
	server                   *process
}

// A process can be killed.
type process struct {
	cmd   *exec.Cmd
	ended chan error
}

func (c *crashRun) start(cmd *exec.Cmd) *process {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(c.t, cmd.Start())
	p := &process{cmd: cmd, ended: make(chan error, 1)}
	go func() {
		err := cmd.Wait()
		if err != nil && err.Error() != "signal: killed" {
			err = fmt.Errorf("%w\n%s", err, out.String())
		}
		p.ended <- err
	}()
	return p
}

// kill ends the process at once, and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	p.ended <- <-p.ended
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close() //nolint:errcheck // it has accepted nothing
	return l.Addr().String()
}

func (c *crashRun) startServer() {
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	c.server = c.start(exec.CommandContext(context.Background(), c.program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", //nolint:gosec // of the person who runs the test
		"--port", port(c.address), "--http-port", port(freeAddress(c.t)), "--metrics-port", port(freeAddress(c.t)),
		"--db-filename", filepath.Join(c.folder, "temporal.db"), "--log-level", "error"))
}

// play runs one message to its end and counts.
func (c *crashRun) play(round int) map[string]*crashRow {
	session := fmt.Sprint("round ", round)
	folder := filepath.Join(c.folder, session)
	require.NoError(c.t, os.MkdirAll(filepath.Join(folder, "ran"), 0o700))
	role := func(name string) *process {
		cmd := exec.CommandContext(context.Background(), os.Args[0]) //nolint:gosec // this program
		cmd.Env = append(os.Environ(), envRole+"="+name, envAddress+"="+c.address, envFolder+"="+folder, envSession+"="+session)
		return c.start(cmd)
	}
	var workers []*process
	for range crashWorkers {
		workers = append(workers, role("worker"))
	}
	host := role("host")
	rnd := rand.New(rand.NewPCG(uint64(round), 1)) //nolint:gosec // of a test
	pause := func() { time.Sleep(time.Duration(100+rnd.IntN(900)) * time.Millisecond) }
	require.Eventually(c.t, func() bool { // the first calls run
		began, err := os.ReadDir(filepath.Join(folder, "ran"))
		return err == nil && len(began) >= 10
	}, time.Minute, time.Millisecond)
	for _, step := range rnd.Perm(4) {
		pause()
		switch {
		case step < 2:
			i := rnd.IntN(crashWorkers)
			workers[i].kill()
			workers[i] = role("worker")
		case step == 2:
			c.server.kill()
			pause()
			c.startServer()
		case round%2 == 1:
			host.kill()
			host = role("host")
		}
	}
	select {
	case err := <-host.ended:
		require.NoError(c.t, err)
	case <-time.After(3 * time.Minute):
		host.kill()
		c.t.Fatal("the host does not end")
	}
	for _, w := range workers {
		w.kill()
	}
	return c.count(folder)
}

// count compares what the host was told with the marks of the tools.
func (c *crashRun) count(folder string) map[string]*crashRow {
	told := map[string]string{}
	text, err := os.ReadFile(filepath.Join(folder, "outcomes")) //nolint:gosec // of the test
	require.NoError(c.t, err)
	for line := range strings.Lines(string(text)) {
		var o crashOutcome
		require.NoError(c.t, json.Unmarshal([]byte(line), &o))
		require.NotContains(c.t, told, o.ID, "two outcomes")
		told[o.ID] = o.Kind
	}
	rows := map[string]*crashRow{}
	for i := range crashCalls {
		tool, id := crashTools[i%len(crashTools)], strconv.Itoa(i)
		if rows[tool] == nil {
			rows[tool] = &crashRow{}
		}
		row := rows[tool]
		marks, err := os.ReadFile(filepath.Join(folder, "ran", id)) //nolint:gosec // of the test
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			require.NoError(c.t, err)
		}
		begun := strings.Count(string(marks), "begun\n")
		kind := told[id]
		row.calls++
		switch {
		case kind == "":
			row.lost++
		case kind == "unknown":
			row.unknown++
			require.LessOrEqual(c.t, begun, 1)
		case kind == "not run":
			row.notRun++
			require.Zero(c.t, begun, "%s %s ran, and the host was told that it did not", tool, id)
		default:
			require.Equal(c.t, "ok", kind, "%s %s", tool, id)
			require.Contains(c.t, string(marks), "ended\n", "%s %s has a result, and did not run", tool, id)
		}
		if begun > 1 {
			row.twice++
		} else if begun == 1 {
			row.once++
		}
	}
	return rows
}

// playRole is what a process of a round does instead of the tests.
func playRole(role string) error {
	c, err := client.NewLazyClient(client.Options{HostPort: os.Getenv(envAddress), Logger: sdklog.NewStructuredLogger(quiet)})
	if err != nil {
		return err
	}
	folder := os.Getenv(envFolder)
	tools := markingTools(folder)
	if role == "host" {
		return playHost(c, folder, tools)
	}
	for { // until the server is there
		w, err := temporal.NewWorker(c, crashQueue, temporal.WorkerOptions{Logger: quiet, Pool: poolOf(nil, tools...)})
		if err != nil {
			return err
		}
		if w.Start() == nil {
			select {}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// markingTools write a line when they begin and one when they end.
func markingTools(folder string) (tools []pegboard.Tool) {
	mark := func(id, line string) error {
		f, err := os.OpenFile(filepath.Join(folder, "ran", id), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // of the test
		if err != nil {
			return err
		}
		_, err = f.WriteString(line)
		return errors.Join(err, f.Close())
	}
	for i, name := range crashTools {
		tools = append(tools, tool(name, func(_ context.Context, _ text, c *pegboard.Call) (*pegboard.Result, error) {
			if err := mark(c.ID, "begun\n"); err != nil {
				return nil, err
			}
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) //nolint:gosec // of a test
			return pegboard.TextResult("done"), mark(c.ID, "ended\n")
		}, func(d *definition) {
			d.Traits = pegboard.Traits{}
			d.Inspect = func(_ text, c *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{
					Concurrency: pegboard.PerTarget, Idempotent: i == 1, ReadOnly: i == 2,
					Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Write, Value: c.ID}},
				}
			}
		}))
	}
	return tools
}

// playHost runs the message, and writes what it was told.
func playHost(c client.Client, folder string, tools []pegboard.Tool) error {
	e, err := temporal.NewEngine(temporal.Options{Client: c, Route: to(crashQueue), Heartbeat: time.Second, Delay: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	perms, err := policy.New(policy.ModeBypass)
	if err != nil {
		return err
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: os.Getenv(envSession), Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1}})
	if err != nil {
		return err
	}
	p, err := assemble(s, tools...)
	if err != nil {
		return err
	}
	var calls []pegboard.Call
	for i := range crashCalls {
		calls = append(calls, call(strconv.Itoa(i), crashTools[i%len(crashTools)], `{}`))
	}
	exec := pegboard.Executor{Invoke: e.Invoke, MaxParallel: 32, Logger: quiet}
	var out bytes.Buffer
	lines := bufio.NewWriter(&out)
	for _, o := range exec.Run(context.Background(), p, calls...) {
		kind := "ok"
		switch {
		case errors.Is(o.Err, pegboard.ErrOutcomeUnknown):
			kind = "unknown"
		case errors.Is(o.Err, temporal.ErrNoWorker):
			kind = "not run"
		case o.Err != nil:
			kind = o.Err.Error()
		}
		if err := json.NewEncoder(lines).Encode(crashOutcome{o.Call.ID, kind}); err != nil {
			return err
		}
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "outcomes"), out.Bytes(), 0o600)
}
