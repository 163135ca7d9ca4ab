package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A scriptedAnswer is one answer of the scripted user.
type scriptedAnswer struct {
	target     string // part of a target of the question to answer
	alsoOpen   string // part of a target of another question that must be open
	suggestion string // part of the suggestion to remember
	answer
}

// personScript answers in an order of its own: the second question before the first,
// and an invalid input before a valid one. A call that the user has always allowed is
// not asked about again.
var personScript = []scriptedAnswer{
	{target: "NOTES.md", alsoOpen: "greeting.txt", answer: answer{Answer: edit, Input: json.RawMessage(`{"file": "NOTES.md"}`)}},
	{target: "NOTES.md", answer: answer{Answer: edit, Input: json.RawMessage(`{"file_path": "NOTES.md", "content": "greeted in the morning\n"}`)}},
	{target: "greeting.txt", answer: answer{Answer: once}},
	{target: "git add", suggestion: "Bash(git add *) in localSettings", answer: answer{Answer: always}},
	{target: "git commit", answer: answer{Answer: once}},
	{target: "one.md", alsoOpen: "two.md", suggestion: "acceptEdits", answer: answer{Answer: always}},
	{target: "git push", answer: answer{Answer: deny, Reason: "nothing goes out before Monday"}},
	{target: "git reset", answer: answer{Answer: stop, Reason: "leave the history alone"}},
}

// playPerson answers according to the script and prints the cards and answers, until
// the other end closes.
func playPerson(script []scriptedAnswer, asked io.ReadCloser, answers io.WriteCloser, out io.Writer) error {
	defer asked.Close()
	defer answers.Close()
	open, waiting := []*card{}, false
	for messages := json.NewDecoder(asked); ; {
		var m message
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		shown := ""
		switch m.Status {
		case "":
			open, shown = append(open, m.Ask), "\n"+m.Ask.String()
		case refused:
			waiting, shown = false, quoteLines("  ! ", m.Error)
		case closed:
			open, shown = withoutCard(open, m.ID), "  (needs no answer any more)\n"
		default:
			waiting, open = false, withoutCard(open, m.ID)
		}
		if !waiting && len(script) > 0 {
			if a, spelled := script[0].answerTo(open); a.ID != "" {
				shown, waiting, script = shown+"  > "+spelled+"\n", true, script[1:]
				if err := json.NewEncoder(answers).Encode(a); err != nil {
					return err
				}
			}
		}
		if _, err := io.WriteString(out, shown); err != nil {
			return err
		}
	}
}

// answerTo returns the answer for one of the open questions, and the text in which it
// is printed. The answer has no ID if its question is not open yet.
func (s scriptedAnswer) answerTo(open []*card) (a answer, spelled string) {
	c := findCard(open, s.target)
	if c == nil || findCard(open, s.alsoOpen) == nil {
		return a, ""
	}
	a, spelled = s.answer, s.target+": "+s.Answer
	a.ID = c.ID
	switch {
	case s.Answer == always:
		i := slices.IndexFunc(c.Always, func(text string) bool { return strings.Contains(text, s.suggestion) })
		if a.N = i + 1; i >= 0 {
			spelled += ", that is " + c.Always[i]
		}
	case s.Answer == edit:
		spelled += fmt.Sprintf(", to %s", s.Input)
	case s.Reason != "":
		spelled += ": " + s.Reason
	}
	return a, spelled
}

// findCard returns the open question with a target that contains target.
func findCard(open []*card, about string) *card {
	for _, c := range open {
		if slices.ContainsFunc(c.Targets, func(t string) bool { return strings.Contains(t, about) }) {
			return c
		}
	}
	return nil
}

func withoutCard(open []*card, id string) []*card {
	return slices.DeleteFunc(open, func(c *card) bool { return c.ID == id })
}
