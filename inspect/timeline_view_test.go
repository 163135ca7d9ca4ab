package inspect_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A row is what a test reads of a call in the timeline.
type row struct{ number, level, class, after, text, state, notes string }

var rowForm = regexp.MustCompile(`(?s)<li id="call-(\d+)" class="call level-(\d) (\w+)" data-after="(\d+)">.*?<b>(.*?)</b> <span class="state">(.*?)</span>.*?<rect.*?<p class="quiet">(.*?)</p>\n</li>`)

func rowsOf(page string) (rows []row) {
	for _, m := range rowForm.FindAllStringSubmatch(page, -1) {
		rows = append(rows, row{m[1], m[2], m[3], m[4], m[5], m[6], m[7]})
	}
	return rows
}

// nested is a tool that makes a call of another one.
func nested(name, inner string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.",
		Traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "scripts"}}},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("half way")
			outs := c.Run(ctx, call("inner", inner, `{"path":"c"}`))
			return "", outs[0].Err
		},
	})
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Edit(/out/**)", "Script", "Edit(/c)"}, Deny: []string{"Edit(/no)"}})}, nil,
		writer("Write", tooltest.Reply{Text: "ok"}), nested("Script", "Write"))
	b.run(t, call("1", "Write", `{"path":"out/a"}`), call("2", "Script", `{}`), call("3", "Write", `{"path":"no"}`), call("4", "Nothing", `{}`))
	b.run(t, call("1", "Write", `{"path":`))
	page := b.see(t, "/timeline")
	rows := rowsOf(page)
	require.Len(t, rows, 6)
	got := make([]string, 0, len(rows))
	for _, r := range rows {
		got = append(got, fmt.Sprintf("level %s after %s: %s: %s (%s)", r.level, r.after, r.text, r.state, r.class))
	}
	inner := rows[3].number
	require.Equal(t, []string{
		"level 0 after 0: Write: invalid input (decode) (failed)", // the newest message comes first
		"level 0 after 0: Write out/a: done (done)",
		"level 0 after 1: Script scripts: done (done)",
		"level 1 after 2: Write c: done (done)",
		"level 0 after " + inner + ": Write no: denied (permission) (failed)",
		"level 0 after 3: Nothing: unknown tool (lookup) (failed)",
	}, got)
	require.Contains(t, rows[1].notes, "running")
	require.Contains(t, rows[1].notes, "allow by rule Edit(/out/**) of projectSettings")
	require.Contains(t, rows[2].notes, "1 reports of progress: half way")
	require.Contains(t, rows[4].notes, "deny by rule Edit(/no) of projectSettings")
	require.NotContains(t, rows[4].notes, "running")
	require.Equal(t, 2, strings.Count(page, `class="batch"`))
}

// TestTimelineShowsWhatACallWaitsFor, with a link to it.
func TestTimelineShowsWhatACallWaitsFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, nil, writer("Write"))
	ended := b.asked(t, 1, call("1", "Write", `{"path":"a"}`), call("2", "Write", `{"path":"a"}`))
	waiting := func() bool { return strings.Contains(b.see(t, "/timeline"), "both write a, call 1</a>") }
	require.Eventually(t, waiting, eventually, tick)
	rows := rowsOf(b.see(t, "/timeline"))
	require.Equal(t, "asked", rows[0].state)
	require.Equal(t, "asked", rows[0].class)
	require.Equal(t, "waiting", rows[1].state)
	require.Contains(t, rows[1].notes, `<a href="call?n=1">waited for another call: both write a, call 1</a>`)
	b.denies(t, ended)
}

// TestTimelineWithoutContents has no text of an input: classes of targets, rules of the host,
// digests of names that are none.
func TestTimelineWithoutContents(t *testing.T) {
	t.Parallel()
	set := policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Edit(/k4nary/**)", "Script", "Edit(/c)"}}
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, set)}, func(o *inspect.Options) { o.Answers, o.Contents, o.Token = false, false, "" },
		writer("Write", tooltest.Reply{Text: "k4nary"}), nested("Script", "Write"))
	b.run(t, call("k4nary k4nary", "Write", `{"path":"k4nary/a","k4nary":1}`), call("2", "k4nary", `{}`), call("3", "Write", `{"path":"k4nary"}`), call("4", "Script", `{"k4nary":1}`))
	page := b.see(t, "/timeline")
	require.NotContains(t, strings.ToLower(page), "k4nary")
	rows := rowsOf(page)
	require.Equal(t, "Write", rows[0].text)
	require.Contains(t, rows[0].notes, "allow by rule Edit(…) of session")
	require.Equal(t, "sha256:65a808d554da4333d7cda660e8c3944c", rows[1].text, "of k4nary")
	require.Equal(t, "nobody can be asked (permission)", rows[2].state)
}

// TestRingForgetsTheOldestCalls and shows the pages of what is left.
func TestRingForgetsTheOldestCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit", "Script"}})}, func(o *inspect.Options) { o.Keep = 250 },
		writer("Write"), nested("Script", "Write"))
	for i := range 150 {
		b.run(t, call("", "Script", `{}`), call("", "Write", fmt.Sprintf(`{"path":"%d"}`, i)))
	}
	page := b.see(t, "/timeline")
	require.Contains(t, page, "250 calls are remembered")
	rows := rowsOf(page)
	require.Len(t, rows, 200)
	require.Contains(t, page, `href="?page=2&amp;agent="`)
	rest := rowsOf(b.see(t, "/timeline?page=2&agent="))
	require.Len(t, rest, 50)
	seen := map[string]bool{}
	for _, r := range append(rows, rest...) {
		require.False(t, seen[r.number])
		seen[r.number] = true
	}
	require.Contains(t, seen, "450")
	require.NotContains(t, seen, "200")
	require.Empty(t, rowsOf(b.see(t, "/rows?calls=200")))
	require.Len(t, rowsOf(b.see(t, "/rows?calls=201,450")), 2)
}

// TestTimelineOfAnAgent has the calls of that agent only.
func TestTimelineOfAnAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
	fork, err := b.session.Fork(pegboard.SessionConfig{AgentID: "scout", AgentType: "Explore"})
	require.NoError(t, err)
	b.run(t, call("1", "Write", `{"path":"mine"}`))
	b.executor.Run(t.Context(), b.registry.AssemblePool(fork, pegboard.PoolConfig{}), call("1", "Write", `{"path":"its"}`))
	page := b.see(t, "/timeline")
	require.Contains(t, page, "scout (Explore)")
	require.Len(t, rowsOf(page), 2)
	rows := rowsOf(b.see(t, "/timeline?agent=1"))
	require.Len(t, rows, 1)
	require.Equal(t, "Write its", rows[0].text)
	require.Len(t, rowsOf(b.see(t, "/rows?calls=1,2&agent=0")), 1)
	require.NoError(t, b.session.Close(t.Context()))
	require.Len(t, rowsOf(b.see(t, "/timeline")), 2, "a closed session's page shows what it has")
}

// TestUpdateIsSmall: rows with long texts come in several answers of at most 20 KB.
func TestUpdateIsSmall(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil, writer("Write"))
	var calls []pegboard.Call
	var numbers []string
	for i := range 20 {
		calls = append(calls, call("", "Write", fmt.Sprintf(`{"path":"%d%s"}`, i, strings.Repeat("<&", 1000))))
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	b.run(t, calls...)
	seen, answers := map[string]bool{}, 0
	for left := strings.Join(numbers, ","); left != ""; answers++ {
		w := b.get(t, "/rows?calls="+left)
		require.LessOrEqual(t, w.Body.Len(), 20_000)
		for _, r := range rowsOf(w.Body.String()) {
			require.False(t, seen[r.number])
			seen[r.number] = true
		}
		require.NotEqual(t, left, w.Header().Get("X-Left"))
		left = w.Header().Get("X-Left")
	}
	require.Len(t, seen, 20)
	require.Greater(t, answers, 1)
}
