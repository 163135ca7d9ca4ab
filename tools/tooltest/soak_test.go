package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// soakTime is how long TestSoak runs; 0 means 10 seconds at full effort.
var soakTime = flag.Duration("soak", 0, "how long TestSoak runs")

// TestSoak lets three agents call the tools at random in one tree, while a person allows and
// denies at random and takes time. Each agent has a directory of its own, whose model says
// after every message what must be on the disk, and all write to one file, in which nothing
// may be lost. In the end no process, temporary file or goroutine is left.
func TestSoak(t *testing.T) {
	for _, program := range []string{"bash", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed, and the calls run it")
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the lines are for a system where bash and the tools name paths alike")
	}
	lasts := *soakTime
	if lasts == 0 {
		lasts = time.Duration(effort.Of(t, 10_000)) * time.Millisecond
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	goroutines := runtime.NumGoroutine()

	s := newSoak(t, dir, seed)
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var all sync.WaitGroup
	for _, a := range s.agents {
		all.Go(func() { a.work(ctx) })
	}
	all.Wait()
	s.checkShared()
	require.NoError(t, s.session.Close(t.Context()))
	if t.Failed() {
		return
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		require.NotContains(t, filepath.Base(path), "pegboard", "a temporary file is left")
		return err
	}))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // what was ended is about to go
		processes, left := processesIn(dir), runtime.NumGoroutine()-goroutines
		if len(processes) == 0 && left <= 0 {
			break
		}
		require.True(t, time.Now().Before(deadline), "left: processes %v, %d goroutines", processes, left)
	}
	s.report()
}

// A soak is the state of TestSoak.
type soak struct {
	t       *testing.T
	dir     string
	session *pegboard.Session
	agents  []*soakAgent

	mu     sync.Mutex
	random *rand.Rand // of the person
}

const sharedHead = "# shared log\n"

func newSoak(t *testing.T, dir string, seed uint64) *soak {
	t.Helper()
	s := &soak{t: t, dir: dir, random: rand.New(rand.NewPCG(seed, 0))}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shared.txt"), []byte(sharedHead), 0o600))
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"TaskOutput"}})
	require.NoError(t, err)
	s.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions, Ask: s.answer})
	require.NoError(t, err)
	var registry pegboard.Registry
	require.NoError(t, registry.Add(append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}),
		shell.Bash(shell.Options{}), shell.REPL(shell.REPLOptions{}), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop())...))
	for i := range 3 {
		session := s.session
		if i > 0 {
			session, err = s.session.Fork(pegboard.SessionConfig{AgentID: fmt.Sprint("agent-", i)})
			require.NoError(t, err)
		}
		a := &soakAgent{
			soak: s, session: session, name: fmt.Sprint("a", i), random: rand.New(rand.NewPCG(seed, uint64(i+1))),
			tree: map[string]string{}, counts: map[string]int{}, shared: map[string]bool{},
			pool: registry.AssemblePool(session, pegboard.PoolConfig{Roles: &pegboard.RoleTables{}}),
		}
		require.NoError(t, os.Mkdir(filepath.Join(dir, a.name), 0o700))
		s.agents = append(s.agents, a)
	}
	return s
}

// answer is the person: mostly in favour, sometimes slow.
func (s *soak) answer(context.Context, *pegboard.Question) (policy.Decision, error) {
	s.mu.Lock()
	allow, slow := s.random.IntN(5) > 0, s.random.IntN(10) == 0
	s.mu.Unlock()
	if slow {
		time.Sleep(3 * time.Millisecond)
	}
	if allow {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	return policy.Decision{Behavior: policy.Deny, Reason: "not now"}, nil
}

// checkShared checks that the common file has each line of a call that succeeded once, and
// no other.
func (s *soak) checkShared() {
	content, err := os.ReadFile(filepath.Join(s.dir, "shared.txt"))
	require.NoError(s.t, err)
	got := map[string]int{}
	for line := range strings.Lines(string(content)) {
		got[line]++
	}
	want := map[string]int{sharedHead: 1}
	for _, a := range s.agents {
		for line, there := range a.shared {
			if there {
				want[line] = 1
			}
		}
	}
	require.Equal(s.t, want, got)
}

func (s *soak) report() {
	calls := map[string]int{}
	for _, a := range s.agents {
		for what, n := range a.counts {
			calls[what] += n
		}
	}
	s.t.Logf("calls: %v", calls)
	if !effort.Full(s.t) {
		return
	}
	require.Positive(s.t, calls["ran"])
	require.Positive(s.t, calls["denied"])
	require.Greater(s.t, calls["ran"], calls["failed"], "most calls are honest work")
}

// processesIn returns the processes whose directory is in dir. Where there is no /proc it
// finds none.
func processesIn(dir string) (found []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			found = append(found, link)
		}
	}
	return found
}

// A soakAgent is an agent with the model of its directory.
type soakAgent struct {
	*soak
	name    string
	session *pegboard.Session
	pool    *pegboard.Pool
	random  *rand.Rand
	tree    map[string]string // the files by name
	shared  map[string]bool   // lines for the common file, and whether they must be there
	counts  map[string]int
	lines   int  // made so far
	hadSub  bool // before the message
}

// work sends messages until the context ends.
func (a *soakAgent) work(ctx context.Context) {
	for ctx.Err() == nil && !a.t.Failed() {
		a.session.NewTurn()
		a.hadSub = a.hasSub()
		var ops []soakOp
		for range 1 + a.random.IntN(3) {
			op := a.operation()
			if ops = append(ops, op); op.alone {
				ops = ops[len(ops)-1:]
				break
			}
		}
		a.send(ops)
		a.checkTree()
	}
}

var unseen = regexp.MustCompile(`was not read|changed since|in part only|as far as a limit|changed by somebody else|only lines that are similar`)

// send runs the operations as one message and applies to the model what succeeded.
func (a *soakAgent) send(ops []soakOp) {
	var calls []pegboard.Call
	for i, op := range ops {
		input, err := json.Marshal(op.input)
		a.expect(err == nil, "%v", err)
		calls = append(calls, pegboard.Call{ID: fmt.Sprintf("%s-%d-%d", a.name, a.counts["messages"], i), Name: op.tool, Input: input})
	}
	a.counts["messages"]++
	var executor pegboard.Executor
	outcomes, texts := executor.Run(context.Background(), a.pool, calls...), map[string]string{}
	for i, out := range outcomes {
		op, text := ops[i], out.Result.Text()
		if out.SameAs != nil {
			text = texts[out.SameAs.ID]
		}
		texts[calls[i].ID] = text
		switch {
		case errors.Is(out.Err, pegboard.ErrDenied):
			a.counts["denied"]++
		case out.Result.IsError && op.writes && unseen.MatchString(text):
			a.counts["unseen"]++
		case out.Result.IsError:
			a.counts["failed"]++
			a.expect(!op.apply(false), "%s %s failed: %s", op.tool, calls[i].Input, text)
		default:
			a.counts["ran"]++
			a.expect(op.apply(true), "%s %s should have failed: %s", op.tool, calls[i].Input, text)
			if op.check != nil {
				err := op.check(text)
				a.expect(err == nil, "%s %s: %v in %s", op.tool, calls[i].Input, err, text)
			}
		}
	}
}

// checkTree compares the directory with the model.
func (a *soakAgent) checkTree() {
	got, dir := map[string]string{}, filepath.Join(a.dir, a.name)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		got[name] = string(content)
		return err
	})
	a.expect(err == nil, "%v", err)
	a.expect(maps.Equal(a.tree, got), "the directory should hold\n%q\nand holds\n%q", a.tree, got)
}

// expect fails the test, from the goroutine of the agent.
func (a *soakAgent) expect(is bool, format string, args ...any) {
	a.t.Helper()
	if !is {
		a.t.Errorf(format, args...)
	}
}
