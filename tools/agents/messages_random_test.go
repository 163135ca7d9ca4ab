package agents_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// marked finds the messages of a chatter in a text: writer, receiver and number.
var marked = regexp.MustCompile(`«(\w+) (\w+) (\d+)»`)

// A chatter counts who has sent and read which messages.
type chatter struct {
	mu   sync.Mutex
	sent map[[2]string]int // the number of the last message that was sent, by writer and receiver
	read map[[2]string]int // and that was read
	errs []string
}

// next returns the next message of a writer.
func (c *chatter) next(from, to string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	way := [2]string{from, to}
	c.sent[way]++
	return fmt.Sprintf("«%s %s %d»", from, to, c.sent[way])
}

// notSent takes back the last message of a writer.
func (c *chatter) notSent(from, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[[2]string{from, to}]--
}

// reads counts the messages in a text, each once and in the order of its writer.
func (c *chatter) reads(reader, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range marked.FindAllStringSubmatch(text, -1) {
		way := [2]string{m[1], m[2]}
		n, _ := strconv.Atoi(m[3])
		if m[2] != reader || n != c.read[way]+1 {
			c.errs = append(c.errs, fmt.Sprintf("%s reads %s after %d", reader, m[0], c.read[way]))
		}
		c.read[way] = n
	}
}

// chats returns the loop of an agent that writes to others at random and ends at random.
func (c *chatter) chats(h **house, seed uint64, names []string) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		r := rand.New(rand.NewPCG(seed, uint64(len(a.History()))+uint64(len(a.Name))<<32+uint64(a.Name[0])))
		for range 1 + r.IntN(4) {
			parts, err := a.Next(ctx, agents.Usage{})
			if err != nil {
				return agents.Reply{}, err
			}
			if err := a.Append(userMessage(parts)); err != nil {
				return agents.Reply{}, err
			}
			for _, p := range parts {
				c.reads(a.Name, p.Text)
			}
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			c.send(ctx, *h, pool, a.Name, names[r.IntN(len(names))])
			select {
			case <-time.After(time.Duration(r.IntN(3)) * time.Second):
			case <-ctx.Done():
				return agents.Reply{}, context.Cause(ctx)
			}
		}
		return agents.Reply{Text: "enough"}, nil
	}
}

// send sends a message unless the writer is the receiver.
func (c *chatter) send(ctx context.Context, h *house, pool *pegboard.Pool, from, to string) {
	if from == to {
		return
	}
	input := fmt.Appendf(nil, `{"to":%q,"message":%q}`, to, c.next(from, to))
	if out := h.executor.Run(ctx, pool, pegboard.Call{ID: "send", Name: "SendMessage", Input: input})[0]; out.Err != nil {
		c.notSent(from, to)
	}
}

// TestMessagesAtRandom: agents write to each other and to the main agent, end, and go on, and some
// are stopped. Each message is read once, in the order of its writer, by each agent that the
// user has not stopped; nothing runs after the end of the conversation.
func TestMessagesAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(150)) {
		for _, kept := range []bool{false, seed%5 == 0} {
			if kept && seed%5 != 0 {
				continue
			}
			t.Run(fmt.Sprint(seed, kept), func(t *testing.T) {
				t.Parallel()
				dir := ""
				if kept {
					dir = t.TempDir()
				}
				synctest.Test(t, func(t *testing.T) { playChat(t, seed, dir) })
			})
		}
	}
}

func playChat(t *testing.T, seed uint64, dir string) {
	t.Helper()
	names := []string{"main", "ann", "bob", "cid", "dan"}
	c := &chatter{sent: map[[2]string]int{}, read: map[[2]string]int{}}
	r := rand.New(rand.NewPCG(seed, 99))
	var h *house
	h = newHouse(t, pegboard.SessionConfig{}, c.chats(&h, seed, names), func(o *agents.Options) { o.Dir = dir }, look())
	require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
	for i, name := range names[1:] {
		input := map[string]any{"name": name}
		if i%2 == int(seed%2) {
			input["team_name"] = "red"
		}
		h.launch(t, input)
	}
	stopped := map[string]bool{}
	for range 20 {
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		for _, text := range h.news() {
			c.reads("main", text)
		}
		name := names[1+r.IntN(4)]
		if r.IntN(12) == 0 && h.agents.Stop(h.session, name) == nil {
			stopped[name] = true
		}
		c.send(t.Context(), h, h.pool(), "main", name)
	}
	time.Sleep(time.Minute)
	for range 300 { // agents that write to each other may go on for long
		for _, text := range h.news() {
			c.reads("main", text)
		}
		time.Sleep(time.Second)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Empty(t, c.errs)
	require.NotEmpty(t, c.sent)
	over := true
	for _, s := range h.agents.List(h.session) {
		over = over && s.State != agents.Running
	}
	for way, n := range c.sent {
		if over && !stopped[way[1]] {
			require.Equal(t, n, c.read[way], "%v", way)
		}
	}
}
