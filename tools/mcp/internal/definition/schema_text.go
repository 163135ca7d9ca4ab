package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

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
