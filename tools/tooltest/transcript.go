package tooltest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Transcript is a conversation with real tools as a text that people write and read. A
// [Replayer] repeats it. Above the first step stands a comment; each step is a header line,
// and the lines up to the next header are its body:
//
//	A command that fails is a result.
//
//	-- file t.py --
//	raise SystemExit(1)
//	-- call --
//	{"name": "Bash", "input": {"command": "python3 t.py"}}
//	-- failure Bash --
//	| Exit code 1
//
// [StepKind] lists the kinds of steps.
type Transcript struct {
	Comment string
	Steps   []Step
}

// A Step is a step of a [Transcript].
type Step struct {
	Kind StepKind
	Name string // of the file or tool, or the behavior of a person
	// Body ends in a newline, unless it is empty. The bodies of results, failures, questions
	// and contents stand in the text with "| " before each line, and here without.
	Body string
}

// A StepKind is the kind of a [Step].
type StepKind string

// The steps that a person writes.
const (
	// StepRules gives the session permission rules, such as "allow Bash(ls *)" or "mode plan",
	// one in a line. It stands before all
	// steps but StepTools. Without it every call runs that its tool does not
	// deny, as in a session of [NewSession].
	StepRules StepKind = "rules"
	// StepTools names the tools that the session has, one in a line. It stands before all
	// steps but StepRules. Without it the session has all of them.
	StepTools StepKind = "tools"
	// StepFile writes the named file from outside the session.
	StepFile StepKind = "file"
	// StepRemove removes the named file or directory from outside the session.
	StepRemove StepKind = "remove"
	// StepPerson says how the person answers the questions that follow: allow or deny, with
	// the body as message.
	StepPerson StepKind = "person"
	// StepTurn is a new message of the user.
	StepTurn StepKind = "turn"
	// StepCall is a message of the model: one call in each line, {"name": …, "input": …}.
	StepCall StepKind = "call"
	// StepFollow is a StepCall that follows the advice of the result before it. Each of its calls
	// must succeed.
	StepFollow StepKind = "follow"
	// StepHolds shows the content of the named file. Its body is written by [Replayer.Replay].
	StepHolds StepKind = "holds"
)

// The steps that [Replayer.Replay] writes.
const (
	// StepAsked is a question to the person: the call in one line, and the reason.
	StepAsked StepKind = "asked"
	// StepResult is the text that the model gets for a call that succeeded.
	StepResult StepKind = "result"
	// StepFailure is the text that the model gets for a call that failed.
	StepFailure StepKind = "failure"
)

var stepKinds = []StepKind{
	StepRules, StepTools, StepFile, StepRemove, StepPerson, StepTurn, StepCall, StepFollow, StepHolds,
	StepAsked, StepResult, StepFailure,
}

// isQuoted reports whether each line of the body stands behind "| ".
func (k StepKind) isQuoted() bool {
	return k == StepHolds || k.isWritten()
}

// isWritten reports whether Replay writes the step.
func (k StepKind) isWritten() bool {
	return k == StepAsked || k == StepResult || k == StepFailure
}

// ParseTranscript reads a transcript. A line that begins with "-- " and ends with " --" is a
// header, and one whose kind is unknown is an error.
func ParseTranscript(text string) (*Transcript, error) {
	t := &Transcript{}
	var body strings.Builder
	end := func() {
		if len(t.Steps) == 0 {
			t.Comment = body.String()
		} else {
			t.Steps[len(t.Steps)-1].Body = body.String()
		}
		body.Reset()
	}
	for number, line := range slices.Collect(strings.Lines(text)) {
		line = strings.TrimSuffix(line, "\n")
		if header, ok := headerOf(line); ok {
			end()
			kind, name, _ := strings.Cut(header, " ")
			if !slices.Contains(stepKinds, StepKind(kind)) {
				return nil, fmt.Errorf("line %d: there is no step %q; use one of %v", number+1, kind, stepKinds)
			}
			t.Steps = append(t.Steps, Step{Kind: StepKind(kind), Name: name})
			continue
		}
		if n := len(t.Steps); n > 0 && t.Steps[n-1].Kind.isQuoted() {
			rest, ok := strings.CutPrefix(line, "|")
			if !ok {
				return nil, fmt.Errorf("line %d: the text of %q stands behind \"| \"", number+1, t.Steps[n-1].Kind)
			}
			line = strings.TrimPrefix(rest, " ")
		}
		body.WriteString(line + "\n")
	}
	end()
	if slices.ContainsFunc(t.Steps[len(t.opening()):], Step.opens) {
		return nil, errors.New("rules and tools are the first steps, since a session has them from the start")
	}
	return t, nil
}

// opening returns the first steps, which set up the session.
func (t *Transcript) opening() []Step {
	for i, s := range t.Steps {
		if !s.opens() {
			return t.Steps[:i]
		}
	}
	return t.Steps
}

func (s Step) opens() bool { return s.Kind == StepRules || s.Kind == StepTools }

func headerOf(line string) (string, bool) {
	line, begins := strings.CutPrefix(line, "-- ")
	line, ends := strings.CutSuffix(line, " --")
	return line, begins && ends
}

// String returns the text of which [ParseTranscript] makes an equal Transcript.
func (t *Transcript) String() string {
	var text strings.Builder
	text.WriteString(t.Comment)
	for _, s := range t.Steps {
		fmt.Fprintf(&text, "-- %s --\n", strings.TrimSpace(string(s.Kind)+" "+s.Name))
		if !s.Kind.isQuoted() {
			text.WriteString(s.Body)
			continue
		}
		for line := range strings.Lines(s.Body) {
			line = strings.TrimSuffix(line, "\n")
			if line != "" {
				line = " " + line
			}
			text.WriteString("|" + line + "\n")
		}
	}
	return text.String()
}
