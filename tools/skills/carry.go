package skills

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The number of tokens that [Skills.Carry] returns at most, as Claude Code documents them: of one
// skill, and of all. A token is counted as four bytes.
const (
	MaxCarried    = 5_000
	MaxCarriedAll = 25_000
)

const bytesPerToken = 4

// Carry returns the texts of the skills that are in use in a session, the last used first, for a
// compactor: their instructions would otherwise be lost with the conversation. At
// most MaxCarried tokens of each skill are returned, and MaxCarriedAll of all.
//
// Call it when the conversation is replaced by its summary, and put the parts behind that. A
// skill whose text is cut or left out is loaded anew if the model asks for it.
func (k *Skills) Carry(s *pegboard.Session) (parts []pegboard.Part) {
	room := MaxCarriedAll * bytesPerToken
	k.of(s).carry(func(b namedBody) bool {
		text, whole := head(b.text, min(room, MaxCarried*bytesPerToken))
		if text == "" {
			return false
		}
		if room -= len(text); !whole {
			text += fmt.Sprintf("\n[The rest of skill %s is left out. Call Skill with its name for all of it.]", b.name)
		}
		parts = append(parts, pegboard.Part{Text: text})
		return whole
	})
	return parts
}

// head returns at most n bytes from the beginning of a text, and whether that is all of it.
func head(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, true
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:max(n, 0)], false
}

// Forget says that the conversation of a session does not have the texts of its skills any more,
// for example because the user went back to an earlier message. They are sent again when the
// model asks for them. A conversation that is resumed in another process needs no call.
func (k *Skills) Forget(s *pegboard.Session) { k.of(s).forget() }
