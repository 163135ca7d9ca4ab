package tooltest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Replayer repeats transcripts with tools that really run. Its zero value has no tools.
type Replayer struct {
	// Tools are the tools that the calls name.
	Tools []pegboard.Tool
	// Configure changes the configuration of the session before it is made. Nil changes
	// nothing.
	Configure func(*pegboard.SessionConfig)
	// Mask replaces what differs from run to run in a text that the transcript would show,
	// such as times and numbers of processes. Nil replaces nothing.
	Mask func(text string) string
	// Names are texts that differ from run to run and that calls use, such as the ids of
	// tasks: each match stands in the transcript as $ and the name, and in a call that means
	// the latest match. They are replaced before Mask sees the text.
	Names map[string]*regexp.Regexp
}

// Replay runs the calls of t in a temporary directory of their own, which it removes, and returns
// a transcript of the same steps with the results of this run. In calls, bodies and results the
// directory is written $DIR. Of a text of more than 60 lines the middle is replaced by its
// SHA-256. A test that compares t with the result shows every change of a text for the model.
//
// Replay returns an error if a step cannot be done, if the call of a [StepFollow] fails, or if
// something still runs after the session was closed.
func (r Replayer) Replay(ctx context.Context, t *Transcript) (_ *Transcript, err error) {
	dir, err := os.MkdirTemp("", "pegboard-replay-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	run := replay{Replayer: r, dir: dir, answer: policy.Decision{Behavior: policy.Deny}, now: &Transcript{Comment: t.Comment}, matched: map[string]string{}, written: time.Now().Add(-time.Hour)}
	if err := run.open(t); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeSession(run.session)) }()
	for i, s := range t.Steps {
		if s.Kind.isWritten() {
			continue
		}
		if err := run.step(ctx, s); err != nil {
			return nil, fmt.Errorf("step %d, %s %s: %w", i+1, s.Kind, s.Name, err)
		}
	}
	return run.now, nil
}

// A replay is one transcript in progress.
type replay struct {
	Replayer
	dir     string
	session *pegboard.Session
	pool    *pegboard.Pool
	now     *Transcript

	matched map[string]string // the latest match by name
	written time.Time         // when the latest file was written, as its time says

	mu     sync.Mutex
	answer policy.Decision
	asked  []Step
}

// open makes the session and its pool.
func (r *replay) open(t *Transcript) (err error) {
	config := pegboard.SessionConfig{Dir: r.dir, Ask: allowAll}
	tools := r.Tools
	config.Permissions, err = policy.New(policy.ModeBypass)
	for _, s := range t.opening() {
		if s.Kind == StepTools {
			tools = slices.DeleteFunc(slices.Clone(tools), func(t pegboard.Tool) bool {
				return !slices.Contains(strings.Fields(s.Body), t.Info().Name)
			})
			continue
		}
		config.Ask = r.ask
		config.Permissions, err = permissionsOf(s.Body)
	}
	if err != nil {
		return err
	}
	if r.Configure != nil {
		r.Configure(&config)
	}
	var registry pegboard.Registry
	if err := registry.Add(tools...); err != nil {
		return err
	}
	if r.session, err = pegboard.NewSession(config); err != nil {
		return err
	}
	r.pool = registry.AssemblePool(r.session, pegboard.PoolConfig{Gates: openGates(), Roles: openTables()})
	return nil
}

// permissionsOf reads the body of StepRules.
func permissionsOf(body string) (policy.Permissions, error) {
	mode, rules := policy.ModeDefault, policy.RuleSet{}
	for line := range strings.Lines(body) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "mode":
			mode = policy.Mode(rest)
		case "allow":
			rules.Allow = append(rules.Allow, rest)
		case "ask":
			rules.Ask = append(rules.Ask, rest)
		case "deny":
			rules.Deny = append(rules.Deny, rest)
		default:
			return policy.Permissions{}, fmt.Errorf("%q is no rule; begin with mode, allow, ask or deny", line)
		}
	}
	return policy.New(mode, rules)
}

func (r *replay) ask(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := q.Call.View().Before + "\n" + q.Reason + "\n"
	r.asked = append(r.asked, Step{Kind: StepAsked, Name: q.Call.ToolName(), Body: r.shown(text)})
	return r.answer, nil
}

// step does one step and records its result.
func (r *replay) step(ctx context.Context, s Step) (err error) {
	path := filepath.Join(r.dir, filepath.FromSlash(s.Name))
	body := strings.ReplaceAll(s.Body, "$DIR", r.dir)
	for _, name := range slices.Sorted(maps.Keys(r.matched)) {
		body = strings.ReplaceAll(body, "$"+name, r.matched[name])
	}
	switch s.Kind {
	case StepFile:
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(body), 0o600)
		}
		r.written = r.written.Add(time.Second) // each file is newer than the one before, however coarse the clock
		err = errors.Join(err, os.Chtimes(path, r.written, r.written))
	case StepRemove:
		err = os.RemoveAll(path)
	case StepPerson:
		err = r.setAnswer(s.Name, strings.TrimSpace(body))
	case StepTurn:
		r.session.NewTurn()
	case StepHolds:
		s.Body, err = r.content(path)
	}
	r.now.Steps = append(r.now.Steps, s)
	if s.Kind == StepCall || s.Kind == StepFollow {
		err = r.call(ctx, body, s.Kind == StepFollow)
	}
	return err
}

func (r *replay) setAnswer(behavior, message string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = policy.Decision{Reason: message}
	return r.answer.Behavior.UnmarshalText([]byte(behavior))
}

func (r *replay) content(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "(there is no such file)\n", nil
	}
	return r.shown(string(content)), err
}

// call runs one message of the model.
func (r *replay) call(ctx context.Context, body string, mustSucceed bool) error {
	var calls []pegboard.Call
	for line := range strings.Lines(body) {
		var given struct {
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&given); err != nil {
			return fmt.Errorf("%w in the line %s", err, line)
		}
		calls = append(calls, Call(given.Name, string(bytes.TrimSpace(given.Input))))
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call-%d", i+1)
	}
	var executor pegboard.Executor
	outcomes := executor.Run(ctx, r.pool, calls...)
	r.mu.Lock()
	r.now.Steps = append(r.now.Steps, r.asked...)
	r.asked = nil
	r.mu.Unlock()
	var errs []error
	for _, o := range outcomes {
		kind := StepResult
		if o.Result.IsError {
			kind = StepFailure
		}
		if o.Result.IsError && mustSucceed {
			errs = append(errs, fmt.Errorf("%s failed: %s", o.Call.Name, o.Result.Text()))
		}
		r.now.Steps = append(r.now.Steps, Step{Kind: kind, Name: o.Call.Name, Body: r.shown(textOf(o.Result))})
	}
	return errors.Join(errs...)
}

// textOf returns the text of a result and of the messages behind it. Other content is named
// by its type.
func textOf(result *pegboard.Result) string {
	text := result.Text()
	for i, p := range append(append([]pegboard.Part(nil), result.Parts...), result.Messages...) {
		switch {
		case p.MIME != "":
			text += fmt.Sprintf("\n(%s)", p.MIME)
		case i >= len(result.Parts):
			text += "\n" + p.Text
		}
	}
	return text
}

// shown returns a text as the transcript has it.
func (r *replay) shown(text string) string {
	for _, name := range slices.Sorted(maps.Keys(r.Names)) {
		if matches := r.Names[name].FindAllString(text, -1); len(matches) > 0 {
			r.matched[name] = matches[len(matches)-1]
		}
		text = r.Names[name].ReplaceAllLiteralString(text, "$"+name)
	}
	text = strings.ReplaceAll(text, r.dir, "$DIR")
	if r.Mask != nil {
		text = r.Mask(text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	const most, edge = 60, 20
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= most {
		return text
	}
	middle := strings.Join(lines[edge:len(lines)-edge], "")
	return fmt.Sprintf("%s… %d bytes with SHA-256 %x …\n%s", strings.Join(lines[:edge], ""), len(middle), sha256.Sum256([]byte(middle)), strings.Join(lines[len(lines)-edge:], ""))
}

// NewSession returns a main session in dir, or in the current directory if dir is
// empty. It runs every call that the tool itself does not deny: the mode is
// bypassPermissions, and every question is answered with Allow. The caller closes it.
func NewSession(dir string) (*pegboard.Session, error) {
	perms, err := policy.New(policy.ModeBypass)
	if err != nil {
		return nil, err
	}
	return pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms, Ask: allowAll})
}

func allowAll(context.Context, *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{Behavior: policy.Allow}, nil
}

// closeSession closes a session and waits at most DefaultTimeout.
func closeSession(s *pegboard.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
	defer cancel()
	return s.Close(ctx)
}
