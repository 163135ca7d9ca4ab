package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A saying is one answer of the scripted person.
type saying struct {
	about    string // in a target of the question that it answers
	after    string // in a target of a question that has to be open, too
	remember string // in the suggestion that is meant
	answer
}

// personScript answers in its own order: the second question before the first, an
// input that does not fit before one that does. What is always allowed is not asked
// about the next time.
var personScript = []saying{
	{about: "NOTES.md", after: "greeting.txt", answer: answer{Answer: edit, Input: json.RawMessage(`{"file": "NOTES.md"}`)}},
	{about: "NOTES.md", answer: answer{Answer: edit, Input: json.RawMessage(`{"file_path": "NOTES.md", "content": "greeted in the morning\n"}`)}},
	{about: "greeting.txt", answer: answer{Answer: once}},
	{about: "git add", remember: "Bash(git add *) in localSettings", answer: answer{Answer: always}},
	{about: "git commit", answer: answer{Answer: once}},
	{about: "one.md", after: "two.md", remember: "acceptEdits", answer: answer{Answer: always}},
	{about: "git push", answer: answer{Answer: deny, Reason: "nothing goes out before Monday"}},
	{about: "git reset", answer: answer{Answer: stop, Reason: "leave the history alone"}},
}

// follow answers by the script, and shows what there is to see, until the other end
// has no more to tell.
func follow(script []saying, asked io.ReadCloser, answers io.WriteCloser, out io.Writer) error {
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
			waiting, shown = false, block("  ! ", m.Error)
		case closed:
			open, shown = without(open, m.ID), "  (needs no answer any more)\n"
		default:
			waiting, open = false, without(open, m.ID)
		}
		if !waiting && len(script) > 0 {
			if a, spelled := script[0].to(open); a.ID != "" {
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

// to returns the answer as it is given to one of the open questions, and as a person
// would say it. It has no ID if it is not its turn.
func (s saying) to(open []*card) (a answer, spelled string) {
	c := find(open, s.about)
	if c == nil || find(open, s.after) == nil {
		return a, ""
	}
	a, spelled = s.answer, s.about+": "+s.Answer
	a.ID = c.ID
	switch {
	case s.Answer == always:
		i := slices.IndexFunc(c.Always, func(text string) bool { return strings.Contains(text, s.remember) })
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

// find returns the open question that is about something.
func find(open []*card, about string) *card {
	for _, c := range open {
		if slices.ContainsFunc(c.Targets, func(t string) bool { return strings.Contains(t, about) }) {
			return c
		}
	}
	return nil
}

func without(open []*card, id string) []*card {
	return slices.DeleteFunc(open, func(c *card) bool { return c.ID == id })
}
