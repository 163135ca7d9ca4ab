package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// A noteScene is a session whose hooks stand in a file, with a tool Note that notes what it is
// called with.
type noteScene struct {
	*testing.T
	dir     string
	runner  *hooks.Runner
	session *pegboard.Session
	pool    *pegboard.Pool
	exec    pegboard.Executor

	mu       sync.Mutex
	noted    []string
	problems []error
	messages []string
	events   []string
}

type noteIn struct {
	Text string `json:"text"`
	Path string `json:"file_path,omitempty"`
}

type noteOut struct {
	Noted string `json:"noted"`
	Size  int    `json:"size"`
}

// noteOptions change what a scene is made of. All fields may be zero.
type noteOptions struct {
	hooks.Options
	config  pegboard.SessionConfig
	source  pegboard.RuleSource // of the hooks; zero means those of the user
	tools   []pegboard.Tool
	mode    pegboard.Mode
	rules   pegboard.RuleSet
	asked   bool // Note is no tool that allows itself
	unheard bool // there is no OnProblem
}

// newNoteScene makes a scene of the hooks of a file. A script is run by writing @NAME in a command,
// for a file in the folder of the scene.
func newNoteScene(t *testing.T, file string, o noteOptions) *noteScene {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks of these tests are lines for sh")
	}
	s := &noteScene{T: t}
	var err error
	s.dir, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	if o.source == "" {
		o.source = pegboard.SourceUser
	}
	set, _, err := hooks.Parse(json.RawMessage(strings.ReplaceAll(file, "@DIR", s.dir)), o.source, "settings.json")
	require.NoError(t, err)
	if o.OnProblem == nil && !o.unheard {
		o.OnProblem = func(_ hooks.Handler, err error) { s.note(func() { s.problems = append(s.problems, err) }) }
	}
	if o.Message == nil {
		o.Message = func(_ *pegboard.Session, text string) { s.note(func() { s.messages = append(s.messages, text) }) }
	}
	s.runner = hooks.New(set, o.Options)
	if o.config.Dir == "" {
		o.config.Dir = s.dir
	}
	o.config.ID = "session-1"
	o.config.Hooks = s.runner.Hooks()
	if o.config.Permissions.Mode() == pegboard.ModeDefault {
		o.config.Permissions, err = pegboard.NewPermissions(o.mode, o.rules)
		require.NoError(t, err)
	}
	o.config.Breaker = pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}
	s.session, err = pegboard.NewSession(o.config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.session.Close(context.WithoutCancel(t.Context()))) })
	var r pegboard.Registry
	require.NoError(t, r.Add(append(o.tools, s.noteTool(o.asked))...))
	s.pool = r.AssemblePool(s.session, pegboard.PoolConfig{})
	s.exec.OnEvent = func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			s.note(func() { s.events = append(s.events, e.Text) })
		}
	}
	return s
}

func (s *noteScene) note(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *noteScene) noteTool(asked bool) pegboard.Tool {
	d := pegboard.Definition[noteIn, noteOut]{
		Info: pegboard.Info{Name: "Note", Aliases: []string{"Jot"}}, Description: "Notes a text.",
		Observe: func(in noteIn, _ *pegboard.Call) map[string]any {
			if in.Path == "" || filepath.IsAbs(in.Path) {
				return nil
			}
			return map[string]any{"file_path": filepath.Join(s.dir, in.Path)}
		},
		Call: func(_ context.Context, in noteIn, _ *pegboard.Call) (noteOut, error) {
			s.note(func() { s.noted = append(s.noted, in.Text) })
			if in.Text == "fail" {
				return noteOut{}, fmt.Errorf("the pen is broken")
			}
			return noteOut{in.Text, len(in.Text)}, nil
		},
		Result: func(out noteOut) *pegboard.Result { return pegboard.TextResult("noted " + out.Noted) },
	}
	if !asked {
		d.Permit = func(context.Context, noteIn, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow}
		}
	}
	return pegboard.Build(d)
}

// call calls Note.
func (s *noteScene) call(text string) pegboard.Outcome {
	s.Helper()
	input, err := json.Marshal(noteIn{Text: text})
	require.NoError(s, err)
	return s.exec.Run(s.Context(), s.pool, pegboard.Call{ID: "call-1", Name: "Note", Input: input})[0]
}

// read returns a file of the scene's folder.
func (s *noteScene) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(s, err)
	return string(text)
}

// problemTexts returns what Options.OnProblem was told, in one text.
func (s *noteScene) problemTexts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for _, err := range s.problems {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "\n")
}

// commandHook returns a file with one command for an event.
func commandHook(event, matcher, command string, more ...string) string {
	quoted, err := json.Marshal(command)
	if err != nil {
		panic(err)
	}
	extra := ""
	if len(more) > 0 {
		extra = ", " + strings.Join(more, ", ")
	}
	return fmt.Sprintf(`{%q: [{"matcher": %q, "hooks": [{"type": "command", "command": %s%s}]}]}`, event, matcher, quoted, extra)
}

// printing returns a command that prints a text.
func printing(text string) string {
	return "cat <<'END'\n" + text + "\nEND"
}

// texts returns the texts of parts.
func texts(parts []pegboard.Part) []string {
	var list []string
	for _, p := range parts {
		list = append(list, p.Text)
	}
	return list
}

// label is the form in which the model reads the words of a hook.
var label = regexp.MustCompile(`(?s)^\[The \w+ hook( "[^"]*")?( of settings\.json)?(, about the call call-1 of Note,)? says, in words that are not the user's:\]\n<hook-words>\n(.*)\n</hook-words>$`)

// unlabelled returns the words of hooks in texts for the model, each of which must be labelled.
func unlabelled(t *testing.T, labelled []string) []string {
	t.Helper()
	var words []string
	for _, text := range labelled {
		if strings.HasSuffix(text, rewritten) {
			words = append(words, rewritten)
			continue
		}
		require.Regexp(t, label, text)
		words = append(words, label.FindStringSubmatch(text)[4])
	}
	return words
}

// rewritten is the end of what the model reads of an input that a hook has replaced.
const rewritten = "has replaced the input: the call as it was decided is not the one that you made.]"

const (
	waitTime = time.Minute
	pollTime = 5 * time.Millisecond
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
