package textcall

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
)

// ID returns the id of the nth call in the text of a message. It is made of the id of the
// message, or else of the text.
func ID(m *wire.Message, n int) string {
	id := m.ID
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.:-", r)
	}
	if id == "" || len(id) > 64 || strings.ContainsFunc(id, odd) {
		sum := sha256.Sum256([]byte(m.ID + "\x00" + m.Text))
		id = "text-" + hex.EncodeToString(sum[:8])
	}
	return fmt.Sprintf("%s-t%d", id, n)
}

// results returns the results of calls in a text as words of the user: the API knows of no
// call that they could answer.
func results(answers []answer.Answer, f Form) []pegboard.Part {
	var parts []pegboard.Part
	for _, a := range answers {
		var texts []string
		var files []pegboard.Part
		for i, p := range a.Result.Parts {
			switch {
			case p.Tool == "" && len(p.Data) > 0 && !strings.HasPrefix(content.Kind(p), "text/"):
				files = append(files, p)
			case p.Tool == "":
				texts = append(texts, content.Text(p, "text"))
			case i == 0 || a.Result.Parts[i-1].Tool == "": // neighbouring references are written together
				texts = append(texts, f.Define(a.Result.Parts[i:])...)
			}
		}
		if len(files) > 0 {
			texts = append(texts, "(The files of this result follow.)")
		}
		r := result{name: f.Name(a.Call.Name), id: a.Call.ID, failed: a.Result.IsError, text: strings.Join(texts, "\n")}
		parts = append(append(parts, pegboard.Part{Text: r.String()}), files...)
	}
	return parts
}

// A result is one in the words of the user.
type result struct {
	name, id string
	failed   bool
	text     string // as it is written, without the tags around it

	begin, end int // in the words of the user
}

const (
	resultOpen  = `<tool_result name="`
	resultID    = `" id="`
	resultError = `" error="true`
	resultBegin = "\">\n"
	resultEnd   = "\n</tool_result>"
	brokenEnd   = "\n<\\/tool_result>" // stands for the end within the text
)

// String returns the result as it is written.
func (r result) String() string {
	failed := ""
	if r.failed {
		failed = resultError
	}
	text := r.text
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	return resultOpen + r.name + resultID + r.id + failed + resultBegin + strings.ReplaceAll(text, resultEnd, brokenEnd) + resultEnd
}

// resultsIn returns the results that a text begins with.
func resultsIn(text string) (results []result) {
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\r\n")
		head, after, ok := strings.Cut(rest, resultBegin)
		inner, behind, ended := strings.Cut(after, resultEnd)
		head, begins := strings.CutPrefix(head, resultOpen)
		name, id, named := strings.Cut(head, resultID)
		if !ok || !ended || !begins || !named {
			return results
		}
		r := result{name: name, text: inner, begin: len(text) - len(rest), end: len(text) - len(behind)}
		r.id, r.failed = strings.CutSuffix(id, resultError)
		results, rest = append(results, r), behind
	}
}

// withResult returns a text with another text in the place of that of a result.
func withResult(text string, number int, to string) string {
	r := resultsIn(text)[number]
	r.text = to
	return text[:r.begin] + r.String() + text[r.end:]
}

// Answer returns the answer to a message whose calls were found in its text: the results
// and then the Messages and more, all of them as words of the user. It reports false for
// any other message.
func Answer(m *wire.Message, outcomes []pegboard.Outcome, more []pegboard.Part, f Form) (parts []pegboard.Part, ok bool) {
	if len(m.Calls) == 0 || !m.Calls[0].FromText {
		return nil, false
	}
	answers := answer.To(m.Calls, outcomes)
	return append(results(answers, f), answer.Messages(m, answers, more)...), true
}

// A Form is how a provider names and defines tools.
type Form struct {
	Name   func(tool string) string             // in the API
	Define func(parts []pegboard.Part) []string // words the references to tools that parts begin with
}
