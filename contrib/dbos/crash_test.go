package dbos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// The environment of a process of a crash round.
const (
	envFolder = "PEGBOARD_CRASH_FOLDER"
	envRounds = "PEGBOARD_CRASH_ROUNDS" // how many, for the test itself
)

const (
	crashCalls = 200
	crashKills = 3 // in a round
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(envFolder); folder != "" {
		if err := host(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// crashTraits are those of a tool that changes something, of one that is idempotent and of one
// that only reads.
func crashTraits() map[string]pegboard.Traits {
	return map[string]pegboard.Traits{
		"Pay":  {Concurrency: pegboard.Shared},
		"Save": {Concurrency: pegboard.Shared, Idempotent: true},
		"Look": {Concurrency: pegboard.Shared, ReadOnly: true},
	}
}

func crashTool(i int) string { return []string{"Pay", "Save", "Look"}[i%3] }

// host is a process that runs a message of many calls, and writes what it was told of them.
func host(folder string) error {
	e, shutDown, err := open(filepath.Join(folder, "calls.db"))
	if err != nil {
		return err
	}
	var tools []pegboard.Tool
	for name, traits := range crashTraits() {
		tools = append(tools, tool(name, traits, func(_ context.Context, _ text, c *pegboard.Call) (*pegboard.Result, error) {
			pause := func() { time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond) } //nolint:gosec // of a test
			pause()
			f, err := os.OpenFile(filepath.Join(folder, c.ID), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // of the test
			if err != nil {
				return nil, err
			}
			_, err = f.WriteString("x")
			pause()
			return pegboard.TextResult("done"), errors.Join(err, f.Close())
		}))
	}
	pool, err := poolOf("conversation", tools...)
	if err != nil {
		return err
	}
	var calls []pegboard.Call
	for i := range crashCalls {
		calls = append(calls, call(strconv.Itoa(i), crashTool(i), `{}`))
	}
	executor := pegboard.Executor{Invoke: e.Invoke, MaxParallel: 8, Logger: slog.New(slog.DiscardHandler)}
	told := map[string]string{}
	for _, o := range executor.Run(pegboard.WithTurn(context.Background(), "turn"), pool, calls...) {
		switch {
		case errors.Is(o.Err, pegboard.ErrOutcomeUnknown):
			told[o.Call.ID] = "unknown"
		case o.Err != nil:
			told[o.Call.ID] = o.Err.Error()
		default:
			told[o.Call.ID] = "ok"
		}
	}
	data, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, "told"), data, 0o600), shutDown())
}

// A row counts the calls of one tool.
type row struct{ calls, once, twice, unknown, lost int }

// TestCrashRounds kills the process with SIGKILL in the midst of a message of 200 calls, three
// times in a round. Every call has an outcome that is true, and none that is neither read-only
// nor idempotent runs twice. PEGBOARD_CRASH_ROUNDS is the number of rounds; unset, there are two.
func TestCrashRounds(t *testing.T) {
	t.Parallel()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv(envRounds)); err == nil {
		rounds = n
	}
	total := map[string]*row{"Pay": {}, "Save": {}, "Look": {}}
	for range rounds {
		folder := t.TempDir()
		for kill := 0; kill < crashKills; {
			if !killed(t, folder) {
				break // it was too quick
			}
			kill++
		}
		out, err := command(folder).CombinedOutput()
		require.NoError(t, err, "%s", out)
		countRound(t, folder, total)
	}
	t.Logf("%-6s%8s%10s%11s%9s%6s", "", "calls", "ran once", "ran twice", "unknown", "lost")
	for _, name := range []string{"Pay", "Save", "Look"} {
		r := total[name]
		t.Logf("%-6s%8d%10d%11d%9d%6d", name, r.calls, r.once, r.twice, r.unknown, r.lost)
		require.Zero(t, r.lost)
	}
	require.Zero(t, total["Pay"].twice, "calls that change something and ran twice")
	require.Zero(t, total["Save"].unknown+total["Look"].unknown)
}

func command(folder string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envFolder+"="+folder)
	return cmd
}

// killed starts the process, and reports whether it was killed before it was done.
func killed(t *testing.T, folder string) bool {
	t.Helper()
	before := ran(t, folder)
	cmd := command(folder)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	more := 1 + rand.IntN(crashCalls/crashKills) //nolint:gosec // of a test
	for {
		select {
		case err := <-ended:
			require.NoError(t, err)
			return false
		case <-time.After(time.Millisecond):
		}
		if ran(t, folder) >= before+more {
			require.NoError(t, cmd.Process.Kill())
			<-ended
			return true
		}
	}
}

// ran returns how many calls have run.
func ran(t *testing.T, folder string) (n int) {
	t.Helper()
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, f := range files {
		if _, err := strconv.Atoi(f.Name()); err == nil {
			n++
		}
	}
	return n
}

// countRound adds what has run in a round to the rows, and compares it with what the host was told.
func countRound(t *testing.T, folder string, total map[string]*row) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "told"))
	require.NoError(t, err)
	var told map[string]string
	require.NoError(t, json.Unmarshal(data, &told))
	for i := range crashCalls {
		id := strconv.Itoa(i)
		marks, err := os.ReadFile(filepath.Join(folder, id))
		if !errors.Is(err, os.ErrNotExist) {
			require.NoError(t, err)
		}
		r, times := total[crashTool(i)], strings.Count(string(marks), "x")
		r.calls++
		switch told[id] {
		case "ok":
			require.NotZero(t, times, id)
		case "unknown":
			r.unknown++
		case "":
			r.lost++
		default:
			t.Errorf("call %s: %s", id, told[id])
		}
		switch {
		case times == 1:
			r.once++
		case times > 1:
			r.twice++
		}
	}
}
