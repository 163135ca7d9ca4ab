package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// aboutKeys are the keys of a schema whose texts are for readers alone: no call is checked
// against them.
var aboutKeys = []string{"description", "title", "$comment", "markdownDescription"}

// shownSchema returns a schema as a model is shown it: texts for readers imitate no marks of the
// host. All other texts count in calls, so one that imitates a mark is an error.
func shownSchema(raw json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(raw) {
		return raw, nil // to build the tool is an error
	}
	var shown []byte
	key, kept := "", 0
	for at := 0; at < len(raw); at++ {
		if raw[at] != '"' {
			continue
		}
		begin := at
		for at++; raw[at] != '"'; at++ {
			if raw[at] == '\\' {
				at++
			}
		}
		text := jsonscan.Unquote(raw[begin : at+1])
		isKey := bytes.HasPrefix(bytes.TrimLeft(raw[at+1:], " \t\r\n"), []byte(":"))
		switch harmless := untrusted.Escape(text); {
		case harmless == text:
		case !isKey && slices.Contains(aboutKeys, key):
			shown = append(append(shown, raw[kept:begin]...), jsonobject.Quote(harmless)...)
			kept = at + 1
		case untrusted.Imitates(text):
			return nil, fmt.Errorf("its schema has %s, which imitates a mark of this program", strictjson.Quote(strictjson.Cut(harmless)))
		}
		if isKey {
			key = text
		}
	}
	if kept == 0 {
		return raw, nil
	}
	return append(shown, raw[kept:]...), nil
}

// MaxText is how many bytes of a description, and of a server's instructions, a model is
// shown: the 2 KB that Claude Code documents.
const MaxText = 2 << 10

// Instructions returns the instructions of a server as a model is shown them, for
// [pegboard.Registry.SetDescription].
func Instructions(text string) string { return shown(strings.TrimSpace(text)) }

// shown returns words of a server as a model is shown them.
func shown(text string) string { return cut(untrusted.Escape(cut(text, MaxText)), MaxText) }

const ellipsis = "…"

// cut returns text as valid UTF-8 of at most limit bytes. A text that is cut ends in an
// ellipsis.
func cut(text string, limit int) string {
	shortened := len(text) > limit
	if shortened { // the rest cannot be shown, however short it becomes
		text = text[:limit]
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if !shortened && len(text) <= limit {
		return text
	}
	end := min(len(text), limit-len(ellipsis))
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
