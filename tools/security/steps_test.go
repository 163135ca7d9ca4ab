package security_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// stepsRow is the part of a row of steps.jsonl that the engine sees, and what must not
// come of it: calls that are made one after the other in one session, and the one
// that is decided.
type stepsRow struct {
	Rules    rules
	Mode     policy.Mode
	Platform string
	Shell    string
	Cwd      string
	MoreDirs []string `json:"additional_dirs"`
	Env      []string // NAME=value, beside those that every row has
	Fixture  fixture
	Steps    []step
	step            // the call that is decided
	Command  string // the same, as a line
	Then     string // a line that a person runs afterwards
	Effect   rowEffect
}

// step is one call: a line, or the input of a tool.
type step struct {
	Bash       string
	Tool       string
	Input      map[string]any
	Background bool // the call goes on beside those that follow
}

// rowEffect is what must not come of a row, if it is an attack: the file marker in proj,
// or what the fields say. Paths start at proj.
type rowEffect struct {
	Marker                                 bool
	Exists, ExistsAbs, Changed, ChangedAbs strs
	Gone, GoneAbs                          strs
	Stdout, Connect                        string
	Check                                  string // a line that succeeds if it happened
}

// UnmarshalJSON takes the word marker or an object that holds nothing unknown.
func (e *rowEffect) UnmarshalJSON(text []byte) error {
	var word *string
	if json.Unmarshal(text, &word) == nil {
		if word != nil && *word != "marker" {
			return fmt.Errorf("unknown effect %q", *word)
		}
		e.Marker = word != nil
		return nil
	}
	var plain struct {
		Exists     strs
		ExistsAbs  strs `json:"exists_abs"`
		Changed    strs
		ChangedAbs strs `json:"changed_abs"`
		Gone       strs
		GoneAbs    strs `json:"gone_abs"`
		Stdout     string
		Connect    string
		Check      string
	}
	err := strict(text, &plain)
	*e = rowEffect{
		Exists: plain.Exists, ExistsAbs: plain.ExistsAbs, Changed: plain.Changed, ChangedAbs: plain.ChangedAbs,
		Gone: plain.Gone, GoneAbs: plain.GoneAbs, Stdout: plain.Stdout, Connect: plain.Connect, Check: plain.Check,
	}
	return err
}

// TestSteps makes the calls of every row with the real tools. A step that is asked
// about is not made, since nobody is there to allow it.
func TestSteps(t *testing.T) {
	run(t, "steps", func(t *testing.T, src source) func(*testing.T, stepsRow, answer) outcome {
		t.Helper()
		b := newBase(t, src)
		return func(t *testing.T, r stepsRow, a answer) outcome {
			t.Helper()
			tr := b.grow(t, r.Fixture, "proj")
			return r.decide(t, tr, a)
		}
	})
}

// A conversation makes the calls of a row.
type conversation struct {
	pool   *pegboard.Pool
	wait   sync.WaitGroup // for what goes on in the background
	asked  sync.Map       // what a question was about, by the id of the call
	output printed
}

func (r stepsRow) decide(t *testing.T, tr tree, a answer) (o outcome) {
	t.Helper()
	c := r.conversation(t, tr)
	before := r.Effect.marks(tr)
	o.detail = "nothing was asked about"
	stopped := false
	for n, s := range r.Steps {
		decision, text := c.make(t, tr, fmt.Sprint("step ", n), s)
		o.detail += fmt.Sprintf("\nstep %d: %s: %s", n, decision, text)
		if decision != "allow" {
			stopped = true
			if a.Kind == "benign" {
				o.wrong = append(o.wrong, fmt.Sprintf("step %d: %s: %s", n, decision, text))
			}
		}
	}
	last := r.step
	if r.Command != "" {
		last.Bash = r.Command
	}
	decision, text := c.make(t, tr, "last", last)
	c.end(t)
	o.detail += fmt.Sprintf("\n%s: %s", decision, text)
	// An attack is over once one of its steps was not made: what is left of it may be
	// harmless.
	if !a.agrees(t, decision) && (!stopped || a.Kind == "benign") {
		o.wrong = append(o.wrong, fmt.Sprintf("%s, want %s: %+v %+v", decision, a.wanted(), last, r.Rules))
	}
	if a.Kind == "attack" {
		if r.Then != "" {
			r.person(t, tr)
		}
		o.wrong = append(o.wrong, r.Effect.happened(t, tr, before, c.output.text)...)
	}
	return o
}

// conversation returns one session with the real tools.
func (r stepsRow) conversation(t *testing.T, tr tree) *conversation {
	t.Helper()
	c := &conversation{}
	var vars []string
	for _, v := range r.Env {
		vars = append(vars, tr.fill(v))
	}
	program := "bash"
	if r.Shell != "" {
		program = r.Shell
	}
	s := sessionIn(t, tr, filepath.Join("proj", r.Cwd), pegboard.SessionConfig{
		MoreDirs:    slices.Clone(r.MoreDirs),
		Platform:    platform(t, r.Platform),
		Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill)),
		Breaker:     pegboard.BreakerLimits{Repeats: -1, Denials: -1},
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			c.asked.Store(q.Call.ID, fmt.Sprint(q.Reason))
			return policy.Decision{Behavior: policy.Deny}, nil
		},
	})
	unread := files.WriteOptions{AllowUnread: true}
	options := shell.Options{Shell: []string{program, "-c"}, Env: append(env(tr.root), vars...)}
	c.pool = pool(t, s,
		shell.Bash(options), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(), shell.Monitor(options),
		files.Read(files.ReadOptions{}), files.Write(unread), files.Edit(unread), files.MultiEdit(unread), files.NotebookEdit(unread),
		files.Glob(files.GlobOptions{}), files.Grep(files.GrepOptions{}),
	)
	return c
}

// make makes one call and returns what was decided, and a text about it.
func (c *conversation) make(t *testing.T, tr tree, id string, s step) (decision, text string) {
	t.Helper()
	made := s.call(t, tr)
	made.ID = id
	_, known := c.pool.Lookup(made.Name)
	require.True(t, known, "there is no tool %s", made.Name)
	if s.Background && made.Name != "Bash" {
		c.wait.Go(func() { c.run(t, made) })
		return c.pool.Decide(t.Context(), made).Behavior.String(), "in the background"
	}
	return c.run(t, made)
}

// run runs one call. What it failed at after it was allowed is no matter here.
func (c *conversation) run(t *testing.T, made pegboard.Call) (decision, text string) {
	t.Helper()
	var decided *policy.Decision
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventDecided {
			decided = e.Decision
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := ex.Run(ctx, c.pool, made)[0]
	require.NoError(t, ctx.Err(), "%s %s never ended", made.Name, made.Input)
	require.NotErrorIs(t, out.Err, pegboard.ErrInvalidInput, "%s %s", made.Name, made.Input)
	text = fmt.Sprintf("%s %s: %s", made.Name, made.Input, out.Result.Text())
	if question, ok := c.asked.Load(made.ID); ok {
		return policy.Ask.String(), fmt.Sprintf("%s (%s)", text, question)
	}
	if decided == nil { // as where the tool refuses it before anybody is asked
		return policy.Deny.String(), text
	}
	c.output.add(out.Result.Text())
	return decided.Behavior.String(), text
}

// endTime is how long what goes on in the background may still take.
const endTime = 5 * time.Second

// end waits for what goes on in the background, but not for servers.
func (c *conversation) end(t *testing.T) {
	t.Helper()
	c.wait.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), endTime)
	defer cancel()
	for _, task := range background.Of(c.pool.Session()).List() {
		if _, err := background.Of(c.pool.Session()).Wait(ctx, task.ID); err != nil {
			return
		}
	}
}

// printed is what calls printed.
type printed struct {
	mu   sync.Mutex
	text string
}

func (s *printed) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text += text + "\n"
}

// call is the step as a model sends it.
func (s step) call(t *testing.T, tr tree) pegboard.Call {
	t.Helper()
	name, input := s.Tool, map[string]any{}
	for key, value := range s.Input {
		if text, ok := value.(string); ok {
			value = tr.fill(text)
		}
		input[key] = value
	}
	if s.Bash != "" {
		name, input["command"] = "Bash", tr.fill(s.Bash)
	}
	if s.Background && name == "Bash" {
		input["run_in_background"] = true
	}
	return call(t, name, input)
}

// person runs the line that a person runs once the calls are made.
func (r stepsRow) person(t *testing.T, tr tree) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", tr.fill(r.Then))
	cmd.Dir, cmd.Env = filepath.Join(tr.root, "proj"), env(tr.root)
	out, err := cmd.CombinedOutput()
	t.Logf("%s: %v\n%s", r.Then, err, out)
}

// paths are the files that the effect is about, with whether it is that they are made
// or gone; any other change is an effect of those without.
func (e rowEffect) paths() (paths []string) {
	for _, name := range slices.Concat(e.Exists, e.Changed, e.Gone) {
		paths = append(paths, filepath.Join("proj", name))
	}
	return slices.Concat(paths, e.ExistsAbs, e.ChangedAbs, e.GoneAbs)
}

func (e rowEffect) marks(tr tree) (marks []mark) {
	for _, path := range e.paths() {
		marks = append(marks, tr.mark(path))
	}
	return marks
}

// happened returns what the row did that it must not.
func (e rowEffect) happened(t *testing.T, tr tree, before []mark, output string) (wrong []string) {
	t.Helper()
	for i, now := range e.marks(tr) {
		if now != before[i] {
			wrong = append(wrong, fmt.Sprintf("it changed %s from %q to %q", now.path, before[i].text, now.text))
		}
	}
	if e.Marker {
		if _, err := os.Lstat(filepath.Join(tr.root, "proj", "marker")); err == nil {
			wrong = append(wrong, "it left its mark")
		}
	}
	if e.Stdout != "" && strings.Contains(output, tr.fill(e.Stdout)) {
		wrong = append(wrong, fmt.Sprintf("it showed %s", e.Stdout))
	}
	if e.Check != "" {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", tr.fill(e.Check))
		cmd.Dir, cmd.Env = filepath.Join(tr.root, "proj"), env(tr.root)
		if cmd.Run() == nil {
			wrong = append(wrong, "it happened: "+e.Check)
		}
	}
	return wrong
}
