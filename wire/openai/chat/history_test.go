package chat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestInvariant2OfNormalize takes conversations apart at random. In half of them
// the ids of the calls are the same in each turn.
func TestInvariant2OfNormalize(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		random := rand.New(rand.NewPCG(22, seed))
		turns := randomTurns(random, seed%2 == 0)
		sound := messagesOf(render(turns)...)
		got, repairs := new(chat.Codec).Normalize(sound)
		require.Empty(t, repairs, "seed %d", seed)
		require.Equal(t, stringsOf(sound), stringsOf(got), "seed %d", seed)
		for range 1 + random.IntN(5) {
			turns = disturb(random, turns)
		}
		requireNormal(t, messagesOf(render(turns)...))
	}
}

// turn is a message of a random conversation: whole, or of the model, with calls.
type turn struct {
	whole string
	said  string
	calls []string
}

func render(turns []turn) (all []string) {
	for _, m := range turns {
		switch {
		case m.whole != "":
			all = append(all, m.whole)
		case len(m.calls) == 0:
			all = append(all, `{`+m.said+`"role": "assistant"}`)
		default:
			all = append(all, `{`+m.said+`"tool_calls": [`+strings.Join(m.calls, ", ")+`], "role": "assistant"}`)
		}
	}
	return all
}

// randomTurns returns a conversation in which nothing is wrong.
func randomTurns(random *rand.Rand, again bool) []turn {
	turns := []turn{{whole: system}, {whole: hello}}
	for i := range random.IntN(8) {
		if again {
			i = 0
		}
		said := []string{``, `"content": null, `, `"content":"\u003cok>", `, `"reasoning_content":"hm", `, `"content":[{"type":"text","text":"x"}],"reasoning":"y", `}[random.IntN(5)]
		m := turn{said: said}
		var results []turn
		for j := range random.IntN(4) {
			id := fmt.Sprintf("call_%d_%d", i, j)
			m.calls = append(m.calls, call(id, "clock"))
			results = append(results, turn{whole: fmt.Sprintf(`{"tool_call_id":%q,"role":"tool" ,"content":"<%d>"}`, id, random.IntN(100))})
		}
		turns = append(append(turns, m), results...)
		turns = append(turns, []turn{{whole: hello}, {whole: system}, {whole: says}}[random.IntN(4)%3:][:random.IntN(2)]...)
	}
	return turns
}

// disturb drops, repeats, moves or splits messages and calls.
func disturb(random *rand.Rand, turns []turn) []turn {
	if len(turns) == 0 {
		return nil
	}
	i, j := random.IntN(len(turns)), random.IntN(len(turns))
	m := &turns[i]
	at := random.IntN(len(m.calls) + 1)
	switch random.IntN(7) {
	case 0:
		return slices.Delete(turns, i, i+1)
	case 1:
		return slices.Insert(turns, j, turn{whole: m.whole, said: m.said, calls: slices.Clone(m.calls)})
	case 2:
		turns[i], turns[j] = turns[j], turns[i]
	case 3:
		return turns[:i]
	case 4:
		if m.whole == "" {
			rest := turn{said: []string{``, `"content":"more", `}[random.IntN(2)], calls: slices.Clone(m.calls[at:])}
			m.calls = m.calls[:at]
			return slices.Insert(turns, i+1, rest)
		}
	case 5:
		random.Shuffle(len(m.calls), func(a, b int) { m.calls[a], m.calls[b] = m.calls[b], m.calls[a] })
	default:
		if at < len(m.calls) && turns[j].whole == "" {
			c := m.calls[at]
			m.calls = slices.Delete(m.calls, at, at+1)
			turns[j].calls = append(turns[j].calls, []string{c, c}[random.IntN(3):]...)
		}
	}
	return turns
}
