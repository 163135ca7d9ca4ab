package pegboard

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Result is what a call gives back.
type Result struct {
	Parts   []Part // for the model
	IsError bool   // the parts describe a failure
	Data    any    // the typed output, for the host

	Messages      []Part         // for the conversation, after the results of the batch
	UpdateSession func(*Session) // changes the session once all calls that ran beside this one have ended
	StopTurn      bool           // the model should not be asked again before the user speaks
}

// A Part is one piece of a result: text, or bytes of a media type, or the name of a
// tool. A wire renders what its provider has no form for as text.
type Part struct {
	Text string
	MIME string // set for bytes, such as "image/png"
	Data []byte

	Title  string // of a document (bytes, or Text with a MIME) or a search result
	Source string // set for a search result, whose Text this is: where it was found
	Tool   string // set for a reference to a tool that was found and may be called from now on
	Ref    string // set for a preview, Text, of what a [ResultStore] keeps under that name
}

// TextResult returns a result of one text.
func TextResult(s string) *Result { return newTextResult(s, nil) }

// newTextResult makes a result and its only part at once.
func newTextResult(s string, data any) *Result {
	r := &struct {
		Result
		parts [1]Part
	}{Result: Result{Data: data}, parts: [1]Part{{Text: s}}}
	r.Parts = r.parts[:]
	return &r.Result
}

// Text returns the result's text parts, joined by newlines.
func (r *Result) Text() string {
	if len(r.Parts) == 1 && r.Parts[0].MIME == "" {
		return r.Parts[0].Text
	}
	var texts []string
	for _, p := range r.Parts {
		if p.MIME == "" && p.Tool == "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// empty reports whether a model would see nothing at all.
func (r *Result) empty() bool {
	for _, p := range r.Parts {
		if p.MIME != "" || p.Tool != "" || strings.TrimSpace(p.Text) != "" {
			return false
		}
	}
	return true
}

// headed returns the text of a part with its title and source.
func (p *Part) headed() string {
	head := ""
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	return head + p.Text
}

// resultOf is the default mapping from a typed output.
func resultOf(out any) (*Result, error) {
	switch v := out.(type) {
	case nil:
		return &Result{}, nil
	case *Result:
		if v == nil {
			return &Result{}, nil
		}
		return v, nil
	case string:
		return newTextResult(v, out), nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the output: %w", err)
	}
	return newTextResult(string(b), out), nil
}

// An Outcome is a finished call. There is exactly one for each call.
type Outcome struct {
	Call   *Call
	Result *Result // never nil

	// Err says why the call failed: nil, or a *[CallError]. It is nil, too,
	// when the tool ran and reported a failure itself, by Result.IsError.
	Err error

	Decision Decision      // what permission said; zero if it was not reached
	Repairs  []string      // how the input was mended before it was decoded
	StopTurn bool          // the result wants it, or too many calls were denied in a row
	Elapsed  time.Duration // from admission to the end
}
