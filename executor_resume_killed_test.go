package pegboard_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
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
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// killedOfTest names the variable that makes the test binary run or resume a message in a
// directory.
const killedOfTest = "PEGBOARD_TEST_KILLED"

// killedTurn is the name of the message.
const killedTurn = "message-1"

// errand is the input of the tools.
type errand struct {
	Name string `json:"name"` // its first letter is the target
}

// killedCalls returns the calls of the message. Call 4 waits for call 1, and call 6 is refused.
func killedCalls() []pegboard.Call {
	return []pegboard.Call{
		call("1", "Work", `{"name":"a1"}`), call("2", "Free", `{"name":"b"}`), call("3", "Look", `{"name":"c"}`), call("4", "Work", `{"name":"a2"}`),
		call("5", "Set", `{"name":"d"}`), call("6", "Work", `{"name":"refused"}`), call("7", "Free", `{"name":"f"}`), call("8", "Work", `{"name":"g"}`),
	}
}

// A killable is a directory with a journal, the value that was saved last, and a file for each
// call with a byte for each time that it ran.
type killable struct {
	t   *testing.T
	dir string
}

// An ending is the outcome of a call, as a process prints it.
type ending struct{ ID, Kind, Text string }

func (k killable) journal() *pegboard.FileJournal {
	return fileJournal(k.t, filepath.Join(k.dir, "journal"))
}

// ran returns how often a call ran.
func (k killable) ran(id string) int {
	text, err := os.ReadFile(filepath.Join(k.dir, "ran-"+id))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(k.t, err)
	}
	return len(text)
}

func (k killable) tool(name string, traits pegboard.Traits) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[errand, string]{
		Info: pegboard.Info{Name: name}, Description: "Runs an errand.",
		Inspect: func(s errand, _ *pegboard.Call) pegboard.Traits {
			tr := traits
			if !tr.ReadOnly {
				tr.Concurrency, tr.Targets = pegboard.PerTarget, []pegboard.Target{{Kind: pegboard.TargetResource, Value: name + "/" + s.Name[:1]}}
			}
			return tr
		},
		Call: func(_ ctx, s errand, c *pegboard.Call) (string, error) {
			time.Sleep(rand.N(4 * time.Millisecond))
			f, err := os.OpenFile(filepath.Join(k.dir, "ran-"+c.ID), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return "", err
			}
			_, err = f.WriteString("x")
			time.Sleep(rand.N(4 * time.Millisecond))
			return "did " + s.Name, errors.Join(err, f.Close())
		},
	})
}

// process runs or resumes the message, once or until no question is open, and prints the outcomes.
func (k killable) process(once bool) {
	s := session(k.t, suspending(k.journal(), pegboard.SessionConfig{
		Dir: k.dir, Permissions: rules(k.t, pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Free", "Set"}}),
	}))
	pool := registryOf(k.t, k.tool("Work", pegboard.Traits{}), k.tool("Free", pegboard.Traits{}), k.tool("Set", pegboard.Traits{Idempotent: true}),
		k.tool("Look", pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared})).AssemblePool(s, pegboard.PoolConfig{})
	fmt.Println("ready")
	if once { // until the other process is ready, too
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
	ex := executor(pegboard.Executor{})
	var outs []pegboard.Outcome
	v := k.load()
	if v == nil {
		outs = ex.Run(pegboard.WithTurn(k.t.Context(), killedTurn), pool, killedCalls()...)
	}
	for begins := v == nil; ; {
		if v != nil {
			var err error
			outs, err = ex.Resume(k.t.Context(), pool, v, killedAnswers(v))
			if errors.Is(err, pegboard.ErrQuestionClosed) { // the process before has taken an answer, and was killed
				outs, err = ex.Resume(k.t.Context(), pool, v, nil)
			}
			require.NoError(k.t, err)
		}
		var err error
		v, err = s.Suspension(outs)
		require.NoError(k.t, err)
		if v == nil {
			break
		}
		if begins || !once {
			k.save(v)
		}
		if once {
			break
		}
	}
	for _, o := range outs {
		text, err := json.Marshal(endingOf(&o))
		require.NoError(k.t, err)
		fmt.Printf("ended %s\n", text)
	}
	fmt.Println("end")
}

func endingOf(o *pegboard.Outcome) ending {
	kind := fmt.Sprint(o.Err)
	for name, err := range map[string]error{"unknown": pegboard.ErrOutcomeUnknown, "refused": pegboard.ErrDenied, "suspended": pegboard.ErrSuspended} {
		if errors.Is(o.Err, err) {
			kind = name
		}
	}
	if o.Err == nil {
		kind = "done"
	}
	return ending{o.Call.ID, kind, o.Result.Text()}
}

// killedAnswers answers all questions of a value.
func killedAnswers(v *pegboard.Suspension) map[string]pegboard.Decision {
	answers := map[string]pegboard.Decision{}
	for _, q := range v.Questions {
		if answers[q.ID] = answerYes; q.CallID == "6" {
			answers[q.ID] = answerNo
		}
	}
	return answers
}

func (k killable) load() *pegboard.Suspension {
	text, err := os.ReadFile(filepath.Join(k.dir, "value.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(k.t, err)
	v := new(pegboard.Suspension)
	require.NoError(k.t, json.Unmarshal(text, v))
	return v
}

func (k killable) save(v *pegboard.Suspension) {
	text, err := json.Marshal(v)
	require.NoError(k.t, err)
	path := filepath.Join(k.dir, "value.json")
	require.NoError(k.t, os.WriteFile(path+".tmp", text, 0o600))
	require.NoError(k.t, os.Rename(path+".tmp", path))
}

// start starts a process of the test with that name.
func (k killable) start(test string) (cmd *exec.Cmd, lines *bufio.Scanner, in io.Writer) {
	program, err := os.Executable()
	require.NoError(k.t, err)
	cmd = exec.CommandContext(k.t.Context(), program, "-test.run=^"+test+"$", "-test.count=1") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), killedOfTest+"="+k.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(k.t, err)
	in, err = cmd.StdinPipe()
	require.NoError(k.t, err)
	require.NoError(k.t, cmd.Start())
	lines = bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return cmd, lines, in
}

// readEndings reads what a process prints. Whole is false if it was killed before its end.
func readEndings(t *testing.T, lines *bufio.Scanner) (all []ending, whole bool) {
	t.Helper()
	for lines.Scan() {
		line := lines.Text()
		require.NotContains(t, line, "FAIL")
		if text, ok := strings.CutPrefix(line, "ended "); ok {
			var e ending
			if json.Unmarshal([]byte(text), &e) == nil { // else it was cut by the kill
				all = append(all, e)
			}
		}
		if line == "end" {
			return all, true
		}
	}
	return all, false
}

// states returns the last state of each call in the journal, by its id.
func (k killable) states() map[string]pegboard.JournalState {
	entries, err := k.journal().Entries(k.t.Context(), "session-1", killedTurn)
	require.NoError(k.t, err)
	last := map[string]pegboard.JournalState{}
	for _, e := range entries {
		last[e.CallID] = e.State
	}
	return last
}

// tear adds the beginning of an entry to the journal, as a process that is killed while it writes.
func (k killable) tear() {
	files, err := filepath.Glob(filepath.Join(k.dir, "journal", "*"))
	require.NoError(k.t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(k.t, err)
		line, _, _ := bytes.Cut(text, []byte("\n"))
		require.NoError(k.t, os.WriteFile(path, append(text, line[:rand.N(len(line)+1)]...), 0o600))
	}
}

// TestResumeAfterKills kills processes at random moments of a message, until one comes to its
// end. Each call has one outcome. A call that is not harmless to repeat ran once, or not at all;
// it is unknown exactly if it was started and had not finished when a process was killed.
func TestResumeAfterKills(t *testing.T) {
	if dir := os.Getenv(killedOfTest); dir != "" {
		killable{t, dir}.process(false)
		return
	}
	t.Parallel()
	died, at := 0, map[pegboard.JournalState]int{}
	kinds := map[string]int{}
	for range effort.Of(t, 100) {
		k := killable{t, t.TempDir()}
		lost := map[string]bool{}
		for kill := range 4 {
			cmd, lines, _ := k.start("TestResumeAfterKills")
			for lines.Scan() && lines.Text() != "ready" {
			}
			if kill < 3 {
				time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() }) // any moment will do
			}
			all, whole := readEndings(t, lines)
			_ = cmd.Wait()
			if whole {
				k.requireEndings(all, lost, kinds)
				break
			}
			require.Less(t, kill, 3, "the last process has not come to its end")
			died++
			for id, state := range k.states() {
				at[state]++
				if state == pegboard.JournalStarted && id != "3" && id != "5" {
					lost[id] = true
				}
			}
			if rand.N(2) == 0 {
				k.tear()
			}
		}
	}
	t.Logf("%d processes killed; the calls were then %v; they ended as %v", died, at, kinds)
	if effort.Full(t) {
		for _, state := range []pegboard.JournalState{pegboard.JournalProposed, pegboard.JournalDecided, pegboard.JournalStarted, pegboard.JournalFinished} {
			require.Positive(t, at[state], state)
		}
		require.Positive(t, kinds["unknown"])
	}
}

// requireEndings checks the outcomes of a message, and that a later process has the same.
func (k killable) requireEndings(all []ending, lost map[string]bool, kinds map[string]int) {
	t := k.t
	require.Len(t, all, len(killedCalls()))
	for i, e := range all {
		require.Equal(t, killedCalls()[i].ID, e.ID)
		kinds[e.Kind]++
		ran := k.ran(e.ID)
		switch {
		case e.ID == "3" || e.ID == "5":
			require.Equal(t, "done", e.Kind, e)
			require.Positive(t, ran)
		case lost[e.ID]:
			require.Equal(t, "unknown", e.Kind, e)
			require.LessOrEqual(t, ran, 1, e)
		case e.ID == "6":
			require.Equal(t, "refused", e.Kind, e)
			require.Zero(t, ran)
		default:
			require.Equal(t, "done", e.Kind, e)
			require.Equal(t, 1, ran, e)
		}
	}
	cmd, lines, _ := k.start("TestResumeAfterKills")
	again, whole := readEndings(t, lines)
	require.NoError(t, cmd.Wait())
	require.True(t, whole)
	require.Equal(t, all, again)
}

// TestResumeInTwoProcesses has two processes resume the same value at the same moment. One of them
// runs each call. Sometimes one is killed.
func TestResumeInTwoProcesses(t *testing.T) {
	if dir := os.Getenv(killedOfTest); dir != "" {
		killable{t, dir}.process(true)
		return
	}
	t.Parallel()
	both := map[string]int{}
	for round := range effort.Of(t, 60) {
		k := killable{t, t.TempDir()}
		kill := round%3 == 2
		k.suspend()
		cmds, printed := make([]*exec.Cmd, 2), make([][]ending, 2)
		lines, ins := make([]*bufio.Scanner, 2), make([]io.Writer, 2)
		for i := range cmds {
			cmds[i], lines[i], ins[i] = k.start("TestResumeInTwoProcesses")
			for lines[i].Scan() && lines[i].Text() != "ready" {
			}
		}
		var reading sync.WaitGroup
		for i := range cmds {
			_, err := io.WriteString(ins[i], "\n")
			require.NoError(t, err)
			reading.Go(func() { printed[i], _ = readEndings(t, lines[i]) })
		}
		if kill {
			time.Sleep(rand.N(30 * time.Millisecond)) // any moment will do
			_ = cmds[0].Process.Kill()
		}
		reading.Wait()
		for _, cmd := range cmds {
			_ = cmd.Wait()
		}
		k.requireOnce(kill, printed, both)
	}
	t.Logf("the two processes ended calls as %v", both)
}

// suspend runs the message in this process, up to its questions.
func (k killable) suspend() {
	cmd, lines, in := k.start("TestResumeInTwoProcesses")
	_, err := io.WriteString(in, "\n")
	require.NoError(k.t, err)
	_, whole := readEndings(k.t, lines)
	require.True(k.t, whole)
	require.NoError(k.t, cmd.Wait())
}

// requireOnce checks that each call ran in one process.
func (k killable) requireOnce(killed bool, printed [][]ending, both map[string]int) {
	t := k.t
	cmd, lines, _ := k.start("TestResumeAfterKills") // comes to the end
	all, whole := readEndings(t, lines)
	require.True(t, whole)
	require.NoError(t, cmd.Wait())
	require.Len(t, all, len(killedCalls()))
	for i, e := range all {
		for _, p := range printed {
			if len(p) > i && p[i].Kind != "suspended" {
				require.Equal(t, e, p[i], "an outcome is that for all")
			}
		}
		both[e.Kind]++
		require.Contains(t, []string{"done", "unknown", "refused"}, e.Kind)
		ran := k.ran(e.ID)
		if e.ID == "3" || e.ID == "5" {
			continue
		}
		require.LessOrEqual(t, ran, 1, e)
		if !killed && e.ID != "6" {
			require.Equal(t, 1, ran, e)
		}
	}
	require.Empty(t, slices.DeleteFunc(slices.Collect(maps.Values(k.states())), func(s pegboard.JournalState) bool { return s == pegboard.JournalFinished }))
}
