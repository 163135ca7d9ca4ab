package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// conversation is one that tests can write down and read.
type conversation struct {
	view   []history.Message
	tokens [][]string // of each message, one for each block
}

// parse reads messages that are separated by | and begin with their role: M for
// model, U for user, O for any other. Then come the blocks: +id and -id are a
// call and its result, ?id is a result that was made, L is a lead, and all else
// is content. What follows a colon tells blocks with the same id apart.
func parse(s string) (c conversation) {
	for text := range strings.SplitSeq(s, "|") {
		tokens := strings.Fields(text)
		if len(tokens) == 0 {
			continue
		}
		role := map[byte]history.Role{'M': history.Model, 'U': history.User}[tokens[0][0]]
		c.add(role, tokens[1:])
	}
	return c
}

func (c *conversation) add(role history.Role, tokens []string) {
	m := history.Message{Role: role}
	for _, token := range tokens {
		var b history.Block
		if strings.ContainsAny(token[:1], "+-?") {
			b.ID, _, _ = strings.Cut(token[1:], ":")
		}
		switch token[0] {
		case '+':
			b.Kind = history.Call
		case '-', '?':
			b.Kind = history.Result
		case 'L':
			b.Kind = history.Lead
		}
		m.Blocks = append(m.Blocks, b)
	}
	c.view = append(c.view, m)
	c.tokens = append(c.tokens, tokens)
}

func (c conversation) String() string {
	var all []string
	for i, tokens := range c.tokens {
		role := "OMU"[c.view[i].Role : c.view[i].Role+1]
		all = append(all, strings.Join(append([]string{role}, tokens...), " "))
	}
	return strings.Join(all, "|")
}

// apply writes the conversation that turns describe, as a wire does.
func (c conversation) apply(turns []history.Turn) (out conversation) {
	for _, t := range turns {
		if !t.Changed {
			out.add(c.view[t.Message].Role, c.tokens[t.Message])
			continue
		}
		role := history.User
		if t.Message != history.New {
			role = c.view[t.Message].Role
		}
		var tokens []string
		for _, r := range t.Blocks {
			token := c.tokens[r.Message][r.Block]
			if r.Missing {
				token = "?" + c.view[r.Message].Blocks[r.Block].ID
			}
			tokens = append(tokens, token)
		}
		out.add(role, tokens)
	}
	return out
}

// orderly returns a conversation in which nothing is wrong.
func orderly(random *rand.Rand) (c conversation) {
	next := 0
	name := func(prefix string) string {
		next++
		return fmt.Sprint(prefix, next)
	}
	for range random.IntN(6) {
		if random.IntN(8) == 0 {
			c.add(history.Other, []string{name("o")})
		}
		c.add(history.User, []string{name("t")})
		for range random.IntN(4) {
			said := []string{name("L"), name("t")}[random.IntN(3)%2:]
			var results []string
			for range random.IntN(4) {
				id := name("")
				said, results = append(said, "+"+id), append(results, "-"+id)
			}
			c.add(history.Model, said)
			if len(results) > 0 {
				c.add(history.User, append(results, []string{name("t"), name("t")}[random.IntN(3):]...))
			}
		}
	}
	return c
}

// disturb returns c with one accident: something is dropped, repeated, moved or
// split.
func (c conversation) disturb(random *rand.Rand) conversation {
	var all [][]string // with the roles
	for i, tokens := range c.tokens {
		all = append(all, append([]string{"OMU"[c.view[i].Role : c.view[i].Role+1]}, tokens...))
	}
	if len(all) == 0 {
		return c
	}
	i, j := random.IntN(len(all)), random.IntN(len(all))
	m := all[i]
	at := 1 + random.IntN(len(m))
	switch random.IntN(10) {
	case 0:
		all = slices.Delete(all, i, i+1)
	case 1:
		all = slices.Insert(all, j, slices.Clone(m))
	case 2:
		all[i], all[j] = all[j], all[i]
	case 3:
		all = slices.Insert(all, i+1, append([]string{m[0]}, m[at:]...))
		all[i] = m[:at:at]
	case 4:
		all = all[:i] // cut off
	case 5:
		all[i] = append([]string{"OMU"[random.IntN(3):][:1]}, m[1:]...)
	case 6:
		random.Shuffle(len(m)-1, func(a, b int) { m[1+a], m[1+b] = m[1+b], m[1+a] })
	default:
		if at == len(m) {
			return c
		}
		block := m[at]
		if random.IntN(3) > 0 { // else it is repeated
			all[i] = slices.Delete(m, at, at+1)
		}
		if random.IntN(2) > 0 { // else it is dropped
			all[j] = slices.Insert(all[j], 1+random.IntN(len(all[j])), block)
		}
	}
	var text []string
	for _, tokens := range all {
		text = append(text, strings.Join(tokens, " "))
	}
	return parse(strings.Join(text, "|"))
}
