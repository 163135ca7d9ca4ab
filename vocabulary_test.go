package pegboard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// spoken is what a test does with one key of the vocabulary.
type spoken struct {
	name   string
	set    func(s *pegboard.Session, n int)
	read   func(s *pegboard.Session) int // 0: there is no value
	cloned bool                          // a fork starts with its parent's value, and no other session sees the fork's
	apart  bool                          // a fork starts without one
}

func vocabulary() []spoken {
	return []spoken{
		{
			name: "model", cloned: true,
			set: func(s *pegboard.Session, n int) { pegboard.KeyModel.Set(s, string(rune('0'+n))) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyModel.Get(s)
				return number(ok, func() int { return int(v[0] - '0') })
			},
		},
		{
			name: "file limits", cloned: true,
			set:  func(s *pegboard.Session, n int) { pegboard.KeyFileLimits.Set(s, pegboard.FileLimits{GlobFiles: n}) },
			read: func(s *pegboard.Session) int { v, _ := pegboard.KeyFileLimits.Get(s); return v.GlobFiles },
		},
		{
			name: "interactive",
			set:  func(s *pegboard.Session, n int) { pegboard.KeyInteractive.Set(s, n%2 == 0) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyInteractive.Get(s)
				return number(ok, func() int {
					if v {
						return 2
					}
					return 1
				})
			},
		},
		{
			name: "conversation", apart: true,
			set: func(s *pegboard.Session, n int) {
				pegboard.KeyConversation.Set(s, pegboard.Conversation{Format: "anthropic", Messages: func() []json.RawMessage { return make([]json.RawMessage, n) }})
			},
			read: func(s *pegboard.Session) int {
				v, _ := pegboard.KeyConversation.Get(s)
				return number(v.Messages != nil, func() int { return len(v.Messages()) })
			},
		},
		{
			name: "system prompt", cloned: true,
			set: func(s *pegboard.Session, n int) {
				pegboard.KeySystemPrompt.Set(s, pegboard.SystemPrompt{Rendered: string(rune('0' + n))})
			},
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeySystemPrompt.Get(s)
				return number(ok, func() int { return int(v.Rendered[0] - '0') })
			},
		},
		{
			name: "notify",
			set: func(s *pegboard.Session, n int) {
				pegboard.KeyNotify.Set(s, func(context.Context, pegboard.Notification) { panic(n) })
			},
			read: func(s *pegboard.Session) (n int) {
				notify, ok := pegboard.KeyNotify.Get(s)
				if !ok {
					return 0
				}
				defer func() { n, _ = recover().(int) }()
				notify(context.Background(), pegboard.Notification{})
				return 0
			},
		},
		{
			name: "budget",
			set:  func(s *pegboard.Session, n int) { pegboard.KeyBudget.Set(s, pegboard.NewBudget(float64(n))) },
			read: func(s *pegboard.Session) int {
				v, ok := pegboard.KeyBudget.Get(s)
				return number(ok, func() int { return int(v.Left()) })
			},
		},
	}
}

func number(ok bool, value func() int) int {
	if !ok {
		return 0
	}
	return value()
}

// TestVocabulary: which values belong to the conversation, and which to the agent.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for _, k := range vocabulary() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{})
			require.Zero(t, k.read(s), "nothing is said")
			require.Zero(t, k.read(nil))
			early := agent(t, s, pegboard.RoleSubAgent)
			k.set(s, 1)
			require.Equal(t, 1, k.read(s))
			fork, apart := agent(t, s, pegboard.RoleSubAgent), agent(t, s, pegboard.RoleAsyncAgent)
			seen := []int{k.read(early), k.read(fork), k.read(apart)}
			switch {
			case k.cloned:
				require.Equal(t, []int{0, 1, 1}, seen)
			case k.apart:
				require.Equal(t, []int{0, 0, 0}, seen)
			default:
				require.Equal(t, []int{1, 1, 1}, seen)
			}
			k.set(s, 2)
			switch {
			case k.cloned:
				require.Equal(t, 1, k.read(fork), "it keeps its own")
			case !k.apart:
				require.Equal(t, 2, k.read(fork))
			}
			k.set(apart, 1)
			require.Equal(t, []int{2, 1}, []int{k.read(s), k.read(apart)}, "a background agent changes nothing of the conversation")
		})
	}
}
