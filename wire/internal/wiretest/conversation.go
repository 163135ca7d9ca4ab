package wiretest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Message is one of a random conversation: text, in which %s stands for the blocks if it
// can hold any.
type Message struct {
	Text   string
	Blocks []string
}

func (m Message) holdsBlocks() bool { return strings.Contains(m.Text, "%s") }

// render returns the messages of a conversation.
func render(conversation []Message) (messages []json.RawMessage) {
	for _, m := range conversation {
		messages = append(messages, json.RawMessage(strings.Replace(m.Text, "%s", strings.Join(m.Blocks, ", "), 1)))
	}
	return messages
}

// disturb drops, repeats, moves or splits messages and blocks.
func disturb(random *rand.Rand, all []Message) []Message {
	if len(all) == 0 {
		return nil
	}
	i, j := random.IntN(len(all)), random.IntN(len(all))
	m := &all[i]
	at := random.IntN(len(m.Blocks) + 1)
	switch random.IntN(10) {
	case 0:
		return slices.Delete(all, i, i+1)
	case 1:
		return slices.Insert(all, j, Message{Text: m.Text, Blocks: slices.Clone(m.Blocks)})
	case 2:
		all[i], all[j] = all[j], all[i]
	case 3:
		return all[:i]
	case 4:
		moved := *m
		return slices.Insert(slices.Delete(all, i, i+1), min(j, len(all)-1), moved)
	case 5:
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	case 6:
		if m.holdsBlocks() {
			rest := Message{Text: m.Text, Blocks: slices.Clone(m.Blocks[at:])}
			m.Blocks = m.Blocks[:at]
			return slices.Insert(all, i+1, rest)
		}
	case 7:
		random.Shuffle(len(m.Blocks), func(a, b int) { m.Blocks[a], m.Blocks[b] = m.Blocks[b], m.Blocks[a] })
	default:
		if at < len(m.Blocks) && all[j].holdsBlocks() {
			block := m.Blocks[at]
			m.Blocks = slices.Delete(m.Blocks, at, at+1)
			all[j].Blocks = append(all[j].Blocks, []string{block, block}[random.IntN(3):]...) // also twice or not at all
		}
	}
	return all
}
