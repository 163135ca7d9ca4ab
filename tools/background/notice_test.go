package background_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestNoticeTexts(t *testing.T) {
	t.Parallel()
	output := func(s string) func() string { return func() string { return s } }
	tests := []struct {
		name  string
		work  background.Work
		state background.State
		exit  *int
		err   error
		takes time.Duration
		want  string // after the id
	}{
		{
			name: "well", state: background.Completed, exit: code(0), takes: 123456 * time.Millisecond,
			work: background.Work{Description: "run the tests", Command: "make test", OutputFile: "/tmp/none/out.log"},
			want: ` (run the tests) completed after 2m3s with exit code 0. Its output is in /tmp/none/out.log; read it with TaskOutput or Read.`,
		},
		{
			name: "badly", state: background.Failed, exit: code(2), err: errors.New("the disk\nis full"), takes: 1234 * time.Millisecond,
			work: background.Work{Command: "make", Output: output("a\r\nb\n\n<b>c</b>\n\x1b[1md\xff\n  ")},
			want: ` (make) failed after 1.2s with exit code 2: the disk is full. Read its output with TaskOutput. It ends with:` + "\n    b\n    <b>c</b>\n    d\uFFFD",
		},
		{
			name: "stopped", state: background.Killed, err: errors.New("the user has stopped it"), takes: 12 * time.Millisecond,
			want: ` was stopped after 12ms: the user has stopped it.`,
		},
		{
			name: "lost", state: background.Lost, err: errors.New("the connection broke"),
			want: ` was lost: the connection broke. Check what it has done, and start it again if it is still needed.`,
		},
		{
			name: "no final state", state: background.Running, takes: time.Hour,
			want: ` failed after 1h0m0s.`,
		},
		{
			name: "output that cannot be had", state: background.Completed, takes: -time.Second,
			work: background.Work{Output: func() string { panic("at the disco") }},
			want: ` completed after 0s. Read its output with TaskOutput.`,
		},
		{
			name: "long", state: background.Completed,
			work: background.Work{Description: strings.Repeat("ä", 500), Output: output(strings.Repeat("ö", 500))},
			want: " (" + strings.Repeat("ä", 98) + "…) completed after 0s. Read its output with TaskOutput. It ends with:\n    " + strings.Repeat("ö", 98) + "…",
		},
		{
			name: "a report", state: background.Completed, takes: time.Second,
			work: background.Work{Output: output("a\nlog"), Report: output("# Found\n\n  one\n  two\n  three\n  four\xff\n")},
			want: " completed after 1s. It reports:\n# Found\n\n  one\n  two\n  three\n  four\uFFFD",
		},
		{
			name: "a report of what it had, and a file", state: background.Failed, err: errors.New("at its limit of turns"),
			work: background.Work{OutputFile: "/tmp/none/agent.log", Report: output("half of it")},
			want: " failed after 0s: at its limit of turns. It reports:\nhalf of it",
		},
		{
			name: "as much as is told", state: background.Completed,
			work: background.Work{Report: output(strings.Repeat("r", background.MaxOutput))},
			want: " completed after 0s. It reports:\n" + strings.Repeat("r", background.MaxOutput),
		},
		{
			name: "more than is told", state: background.Completed,
			work: background.Work{OutputFile: "/tmp/none/agent.log", Report: output("r" + strings.Repeat("ö", background.MaxOutput/2))},
			want: " completed after 0s. Its output is in /tmp/none/agent.log; read it with TaskOutput or Read. It reports, up to byte 31999 of 32001:\nr" +
				strings.Repeat("ö", background.MaxOutput/2-1),
		},
		{
			name: "more than is told, and no file", state: background.Completed,
			work: background.Work{Report: output(strings.Repeat("r", background.MaxOutput+1))},
			want: " completed after 0s. Read its output with TaskOutput. It reports, up to byte 32000 of 32001:\n" + strings.Repeat("r", background.MaxOutput),
		},
		{
			name: "an empty report", state: background.Completed,
			work: background.Work{Output: output("a\nlog"), Report: output("\n")},
			want: " completed after 0s. Read its output with TaskOutput. It ends with:\n    a\n    log",
		},
		{
			name: "a report that cannot be had", state: background.Completed,
			work: background.Work{Report: func() string { panic("at the disco") }},
			want: " completed after 0s.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := mainSession(t)
				if tt.takes < 0 {
					tt.work.Started = time.Now().Add(-tt.takes) // the clock was set back
				}
				j := start(t, s, tt.work)
				time.Sleep(tt.takes)
				j.Done(tt.state, tt.exit, tt.err)
				got := texts(s)
				require.Equal(t, []string{"Background task " + j.ID() + tt.want}, got)
				require.True(t, utf8.ValidString(got[0]))
				require.Empty(t, texts(s), "it is told once")
			})
		})
	}
}

// TestReportIsOutput of work that has no other: the tool that the notice names shows it.
func TestReportIsOutput(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	j := start(t, s, background.Work{Report: func() string { return "found" }})
	text, err := background.Of(s).Output(j.ID())
	require.NoError(t, err)
	require.Empty(t, text, "it runs")
	j.Done(background.Completed, nil, nil)
	text, err = background.Of(s).Output(j.ID())
	require.NoError(t, err)
	require.Equal(t, "found", text)
}

func TestNoticesGoToTheOwner(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	agents := []*pegboard.Session{s, fork(t, s, pegboard.RoleSubAgent), fork(t, s, pegboard.RoleAsyncAgent)}
	for _, a := range agents {
		start(t, a, background.Work{Description: a.Role().String()}).Done(background.Completed, nil, nil)
	}
	require.Empty(t, background.Of(s).Notices(mainSession(t)), "another conversation")
	require.Empty(t, texts(fork(t, s, pegboard.RoleSubAgent)), "another agent")
	for _, a := range agents {
		got := texts(a)
		require.Len(t, got, 1)
		require.Contains(t, got[0], "("+a.Role().String()+")")
	}
}

// TestNewsHaveTheNotices of their session, once, and behind what it was told otherwise.
func TestNewsHaveTheNotices(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	agents := []*pegboard.Session{s, fork(t, s, pegboard.RoleSubAgent), fork(t, s, pegboard.RoleAsyncAgent)}
	for _, a := range agents {
		h := start(t, a, background.Work{Description: a.Role().String()})
		h.Notify("halfway")
		h.Done(background.Completed, nil, nil)
		a.Notify(pegboard.Part{Text: "a hook's word"})
	}
	for _, a := range agents {
		got := news(a)
		require.Len(t, got, 3)
		require.Equal(t, "a hook's word", got[0])
		require.Contains(t, got[1], ": halfway")
		require.Contains(t, got[2], "("+a.Role().String()+") completed")
		require.Empty(t, texts(a))
		require.Empty(t, news(a))
	}
	late := start(t, agents[2], background.Work{Description: "late"})
	require.NoError(t, agents[2].Close(t.Context()))
	late.Done(background.Completed, nil, nil)
	require.Empty(t, news(agents[2]))
	require.Len(t, news(s), 1, "the main session has taken it over")
	start(t, s, background.Work{}).Done(background.Completed, nil, nil)
	require.NoError(t, s.Close(t.Context()))
	require.Empty(t, news(s), "the conversation has ended")
}

func TestAcknowledge(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	seen, other := start(t, s, background.Work{}), start(t, s, background.Work{})
	require.False(t, table.Acknowledge(s, seen.ID()), "it runs")
	seen.Done(background.Completed, nil, nil)
	other.Done(background.Completed, nil, nil)
	require.True(t, table.Acknowledge(s, seen.ID()))
	require.False(t, table.Acknowledge(s, seen.ID()))
	got := texts(s)
	require.Len(t, got, 1)
	require.Contains(t, got[0], other.ID())
	require.False(t, table.Acknowledge(s, other.ID()))
}

// TestAcknowledgeOfAnotherAgentsTask: another agent that looks does not keep the end from the one
// it belongs to, and whom a task was handed to is its owner.
func TestAcknowledgeOfAnotherAgentsTask(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "a"})
	require.NoError(t, err)
	h := start(t, agent, background.Work{})
	late := start(t, agent, background.Work{})
	h.Done(background.Completed, nil, nil)
	require.False(t, table.Acknowledge(s, h.ID()), "it is the agent's")
	require.Len(t, texts(agent), 1)
	require.NoError(t, agent.Close(t.Context()))
	late.Done(background.Completed, nil, nil)
	require.True(t, table.Acknowledge(s, late.ID()), "it was handed to the main session")
	require.Empty(t, texts(s))
}

func TestMessages(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	j, other := start(t, s, background.Work{}), start(t, s, background.Work{})
	j.Notify("one")
	other.Notify("other\xff")
	j.Notify("two\nlines")
	prefix := "Background task " + j.ID() + ": "
	require.Equal(t, []string{prefix + "one", "Background task " + other.ID() + ": other\uFFFD", prefix + "two\nlines"}, texts(s))
	require.Empty(t, texts(s))

	for i := range 258 {
		j.Notify(fmt.Sprint(i))
	}
	j.Done(background.Completed, nil, nil)
	j.Notify("too late")
	got := texts(s)
	require.Len(t, got, 257)
	require.Equal(t, "(2 earlier messages of background task "+j.ID()+" were dropped because nobody fetched them.)\n"+prefix+"2", got[0])
	require.Equal(t, prefix+"3", got[1])
	require.Contains(t, got[256], "completed")
}

func TestMessagesMoveToTheMainSession(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	background.Of(s)
	agent := fork(t, s, pegboard.RoleAsyncAgent)
	j := start(t, agent, background.Work{})
	j.Notify("before")
	require.NoError(t, agent.Close(t.Context()))
	j.Notify("after")
	require.Len(t, texts(s), 2)
}

// TestNoticesArrive follows what waits for a session through the life of its tasks.
func TestNoticesArrive(t *testing.T) {
	t.Parallel()
	arrived := func(s *pegboard.Session) bool {
		select {
		case <-s.Notified():
			return true
		default:
			return false
		}
	}
	tests := []struct {
		name       string
		do         func(t *testing.T, main, agent *pegboard.Session)
		main       bool
		agent      bool
		unreported int // by main
	}{
		{name: "running", do: func(t *testing.T, main, _ *pegboard.Session) { t.Helper(); start(t, main, background.Work{}) }},
		{name: "ended", do: func(t *testing.T, main, _ *pegboard.Session) {
			t.Helper()
			start(t, main, background.Work{}).Done(background.Completed, nil, nil)
		}, main: true, unreported: 1},
		{name: "a message", do: func(t *testing.T, main, _ *pegboard.Session) {
			t.Helper()
			start(t, main, background.Work{}).Notify("x")
		}, main: true},
		{name: "handed out", do: func(t *testing.T, main, _ *pegboard.Session) {
			t.Helper()
			start(t, main, background.Work{}).Done(background.Completed, nil, nil)
			main.Notifications()
		}},
		{name: "acknowledged", do: func(t *testing.T, main, _ *pegboard.Session) {
			t.Helper()
			j := start(t, main, background.Work{})
			j.Done(background.Completed, nil, nil)
			require.True(t, background.Of(main).Acknowledge(main, j.ID()))
		}},
		{name: "of an agent", do: func(t *testing.T, main, agent *pegboard.Session) {
			t.Helper()
			background.Of(main)
			start(t, agent, background.Work{}).Done(background.Completed, nil, nil)
		}, agent: true},
		{name: "of an agent that has ended", do: func(t *testing.T, main, agent *pegboard.Session) {
			t.Helper()
			background.Of(main)
			start(t, agent, background.Work{}).Done(background.Completed, nil, nil)
			require.NoError(t, agent.Close(t.Context()))
		}, main: true, agent: true, unreported: 1}, // a closed session always has
		{name: "the main session joins last", do: func(t *testing.T, main, agent *pegboard.Session) {
			t.Helper()
			start(t, agent, background.Work{}).Done(background.Completed, nil, nil)
			background.Of(main)
		}, agent: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			main := mainSession(t)
			agent := fork(t, main, pegboard.RoleAsyncAgent)
			tt.do(t, main, agent)
			require.Equal(t, tt.main, arrived(main), "main")
			require.Equal(t, tt.agent, arrived(agent), "agent")
			require.Len(t, background.Of(main).Unreported(main), tt.unreported)
		})
	}
}

var taskID = regexp.MustCompile(`Background task (\S+) `)

// A world is one conversation with much going on in it.
type world struct {
	t      *testing.T
	main   *pegboard.Session
	agents []*pegboard.Session

	mu      sync.Mutex
	added   map[string]bool // whether its end must be told to somebody
	heard   map[string]int  // how often it was
	waiting sync.WaitGroup  // work that goes on
}

// add starts work that ends by itself after a while, or when it is stopped.
func (w *world) add(r *rand.Rand) {
	by := w.agents[r.IntN(len(w.agents))]
	policy := background.Policy(r.IntN(3))
	takes := time.Duration(r.IntN(1000)) * time.Millisecond
	cancelled := make(chan struct{})
	h, err := background.Of(by).Add(by, background.Work{Kind: "w", OwnerEnd: policy, Stop: func(error) { close(cancelled) }})
	if err != nil {
		require.ErrorIs(w.t, err, pegboard.ErrClosed)
		return
	}
	w.mu.Lock()
	w.added[h.ID()] = by.Role() != pegboard.RoleSubAgent && policy != background.Kill || policy == background.Reparent
	w.mu.Unlock()
	w.waiting.Go(func() {
		select {
		case <-time.After(takes):
			h.Done(background.Completed, nil, nil)
		case <-cancelled:
			h.Done(background.Failed, nil, nil)
		}
		h.Done(background.Failed, nil, nil)
	})
}

// hear asks for news in one of the two ways.
func (w *world) hear(s *pegboard.Session, byNews bool) {
	ask := texts
	if byNews {
		ask = news
	}
	got := ask(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range got {
		w.heard[taskID.FindStringSubmatch(text)[1]]++
	}
}

func (w *world) act(r *rand.Rand) {
	time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
	table := background.Of(w.main)
	switch n := r.IntN(20); {
	case n < 9:
		w.add(r)
	case n < 14:
		w.hear(w.agents[r.IntN(len(w.agents))], n%2 == 0)
	case n < 16:
		if list := table.List(); len(list) > 0 {
			_, _ = table.Stop(context.Background(), list[r.IntN(len(list))].ID) // it may have ended
		}
	case n < 18:
		if list := table.List(); len(list) > 0 {
			if id := list[r.IntN(len(list))].ID; table.Acknowledge(w.agents[r.IntN(len(w.agents))], id) {
				w.mu.Lock()
				w.heard[id]++
				w.mu.Unlock()
			}
		}
	default:
		if i := r.IntN(len(w.agents)); i > 0 {
			require.NoError(w.t, w.agents[i].Close(context.Background()))
		}
	}
}

// However users and agents come together, each end is told to exactly one of
// them, be it when the conversation is opened again, but for tasks that end
// silently with their agents, which are told to at most one.
func TestEachEndIsToldOnce(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playWorld(t, seed) })
		})
	}
}

func playWorld(t *testing.T, seed uint64) {
	t.Helper()
	s, dir := mainSession(t), ""
	if seed%6 == 0 {
		dir = t.TempDir()
		require.NoError(t, background.Configure(s, background.Options{Dir: dir}))
	}
	async := fork(t, s, pegboard.RoleAsyncAgent)
	w := &world{
		t: t, main: s, added: map[string]bool{}, heard: map[string]int{},
		agents: []*pegboard.Session{s, async, fork(t, s, pegboard.RoleSubAgent), fork(t, async, pegboard.RoleSubAgent), fork(t, s, pegboard.RoleTeammate)},
	}
	background.Of(s)
	var actors sync.WaitGroup
	for i := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, i))
		actors.Go(func() {
			for range 30 {
				w.act(r)
			}
		})
	}
	actors.Wait()
	if seed%2 == 0 {
		require.NoError(t, s.Close(t.Context()))
		w.waiting.Wait()
		require.Empty(t, texts(s))
		if dir != "" {
			w.hear(recordedSession(t, dir), seed%4 == 0)
			require.Empty(t, records(t, dir))
		}
	} else {
		w.waiting.Wait()
		for _, a := range w.agents[1:] {
			require.NoError(t, a.Close(t.Context()))
		}
		w.hear(s, seed%4 == 1)
	}
	require.NotEmpty(t, w.added)
	for id, told := range w.added {
		require.LessOrEqual(t, w.heard[id], 1, id)
		if told && (seed%2 == 1 || dir != "") {
			require.Equal(t, 1, w.heard[id], id)
		}
	}
	for _, task := range background.Of(s).List() {
		require.NotEqual(t, background.Running, task.State)
	}
}
