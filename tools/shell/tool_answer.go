package shell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A toolAnswer is the answer to a tool call, for a driver.
type toolAnswer struct {
	Result int             `json:"result"` // the number of the call
	Value  json.RawMessage `json:"value"`
	Files  [][]string      `json:"files,omitempty"` // where in the value a FileValue stands: the keys that lead there
	Error  *toolFailure    `json:"error,omitempty"`
}

// A toolFailure has the data that a driver needs for an exception. The value of the answer is the
// part of the result that the tool could produce.
type toolFailure struct {
	Tool string `json:"tool"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// newToolAnswer returns the answer to call number. Values that are too long are in files of
// tasks.
func newToolAnswer(number int, out *pegboard.Outcome, tasks *background.Tasks) toolAnswer {
	a := toolAnswer{Result: number}
	v, err := out.Value()
	if failed := (*pegboard.CodeError)(nil); errors.As(err, &failed) {
		v, a.Error = failed.Data, &toolFailure{Tool: failed.Tool, Kind: failed.Kind, Text: failed.Text}
	}
	if err := a.setValue(v, tasks); err != nil {
		a.Value, a.Files = json.RawMessage("null"), nil
		if a.Error == nil {
			a.Error = &toolFailure{Tool: out.Call.ToolName(), Kind: pegboard.KindFailed,
				Text: fmt.Sprintf("%s has run, but its result cannot be given to code: %v. Do not repeat it; call it without code, or tell the user.", out.Call.ToolName(), err)}
		}
	}
	return a
}

// setValue encodes v.
func (a *toolAnswer) setValue(v any, tasks *background.Tasks) error {
	text, isText := v.(string)
	raw, mime := []byte(text), "text/plain; charset=utf-8"
	if !isText || len(text) <= pegboard.MaxInMemory {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
		if raw = bytes.TrimSuffix(b.Bytes(), []byte{'\n'}); len(raw) <= pegboard.MaxInMemory || isText {
			a.Value, a.Files = raw, fileValuesIn(v, nil)
			return nil
		}
		mime = "application/json"
	}
	file, err := tasks.NewFile("value")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		_ = os.Remove(file)
		return err
	}
	return a.setValue(pegboard.FileValue{Path: file, Size: int64(len(raw)), MIME: mime}, tasks)
}

// fileValuesIn returns the keys that lead to the FileValues in v, which stands at the keys
// at.
func fileValuesIn(v any, at []string) (all [][]string) {
	switch v := v.(type) {
	case pegboard.FileValue:
		return [][]string{append([]string{}, at...)}
	case map[string]any:
		for key, item := range v {
			all = append(all, fileValuesIn(item, append(slices.Clip(at), key))...)
		}
	case []any:
		for i, item := range v {
			all = append(all, fileValuesIn(item, append(slices.Clip(at), strconv.Itoa(i)))...)
		}
	}
	return all
}
