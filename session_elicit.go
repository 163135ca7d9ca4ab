package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An Elicitation asks the user for something that is no decision about a call: for values, or to open
// an address. All of it but AgentPath and Problem may be written by a program that is not
// trusted, such as a server.
type Elicitation struct {
	From    string // the asking party, such as the name of a server
	Message string // the purpose
	// Schema is the JSON Schema of the values, an object. It is empty if URL is set.
	Schema json.RawMessage
	// URL is an address that the user is asked to open. It is shown whole, and opened by
	// nothing but the user. [Session.Elicit] refuses one with a user before its host, and spells
	// it in ASCII. It is empty if Schema is set.
	URL string

	AgentPath []string // the ids of the agents that led to it, outermost first; set by [Session.Elicit]
	// Problem says why the values that were given before are refused, if they are. It is set
	// by [Session.Elicit].
	Problem string
}

// An ElicitAction is the user's reaction to an [Elicitation].
type ElicitAction string

// The actions of MCP. The zero ElicitAction means ElicitCancel.
const (
	ElicitAccept  ElicitAction = "accept"
	ElicitDecline ElicitAction = "decline" // the user refuses
	ElicitCancel  ElicitAction = "cancel"  // the user made no choice
)

// ElicitResult is the user's answer to an [Elicitation].
type ElicitResult struct {
	Action ElicitAction
	// Content holds the values that [Elicitation].Schema asks for, a JSON object. It is empty unless
	// they were asked for and Action is ElicitAccept.
	Content json.RawMessage
}

// ErrInvalidElicitation is the error of [Session.Elicit] for a form that no user could be shown.
var ErrInvalidElicitation = errors.New("invalid form")

// check returns what content must meet. The error says why the form cannot be shown.
func (f *Elicitation) check() (accepts func(content json.RawMessage) error, err error) {
	switch {
	case len(f.Schema) > 0 && f.URL != "":
		return nil, errors.New("it has both a schema and an address")
	case f.URL != "":
		f.URL, err = elicitationURL(f.URL)
		return noContent, err
	case len(f.Schema) == 0:
		return nil, errors.New("it has neither a schema nor an address")
	}
	compiled, err := schema.Compile(f.Schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return func(content json.RawMessage) error {
		if len(bytes.TrimSpace(content)) == 0 {
			return errors.New("there is no content")
		}
		v, err := strictjson.Decode(content, strictjson.Limits{})
		if err != nil {
			return err
		}
		return compiled.Validate(v)
	}, nil
}

func noContent(content json.RawMessage) error {
	if len(content) > 0 {
		return errors.New("the form asks for no content")
	}
	return nil
}

// elicitationURL returns an address as a person is shown it, in ASCII, with the host that is meant. It
// refuses addresses that are no web pages, and those with a user name, which may look like a host.
func elicitationURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("address: %w", err)
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", errors.New("the address is no https or http URL")
	}
	host, doubt := pattern.CanonicalHost(u.Host)
	if u.User != nil {
		doubt = "it has the name of a user before its host"
	}
	if doubt != "" {
		return "", fmt.Errorf("the address %s is unclear: %s", strictjson.Quote(strictjson.Cut(address)), doubt)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	_, rest, _ := strings.Cut(address, "://")
	text := []byte(u.Scheme + "://" + host)
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		for _, c := range []byte(rest[end:]) {
			if c > ' ' && c < 0x7F {
				text = append(text, c)
			} else {
				text = fmt.Appendf(text, "%%%02X", c)
			}
		}
	}
	return string(text), nil
}

// Elicit asks the user of the session by [SessionConfig].Elicit. A user is shown one question or
// form at a time. Elicit may be called by a tool and beside a call, from any goroutine, but not
// by an [Asker] or by [SessionConfig].Elicit, which it would wait for.
//
// The answer is ElicitDecline if there is no SessionConfig.Elicit or NoPrompts is set, and
// ElicitCancel after SessionConfig.AskTimeout. If the content does not fit the schema, the user
// is asked again, with [Elicitation].Problem. An error wraps [ErrInvalidElicitation], [ErrClosed], the cause
// of the context or the error of SessionConfig.Elicit; the answer is then ElicitCancel.
func (s *Session) Elicit(ctx context.Context, f Elicitation) (ElicitResult, error) {
	s.mustExist("Elicit")
	mustHaveContext("Elicit", ctx)
	filled := ElicitResult{Action: ElicitCancel}
	accepts, err := f.check()
	if err != nil {
		return filled, fmt.Errorf("%w: %w", ErrInvalidElicitation, err)
	}
	f.Schema, f.AgentPath, f.Problem = slices.Clone(f.Schema), s.AgentPath(), ""
	if s.cfg.Elicit == nil || s.cfg.NoPrompts {
		return ElicitResult{Action: ElicitDecline}, nil
	}
	ctx, cancel := context.WithCancelCause(WithSession(ctx, s))
	defer cancel(nil)
	closer := &lifetime.Closer{Name: "a form", Close: func(context.Context) error { cancel(ErrClosed); return nil }, Interrupt: cancel}
	if !s.closers.Add(closer) {
		return filled, ErrClosed
	}
	defer s.closers.Remove(closer)
	var answer ElicitResult
	race := asking.Race[*pending, policy.Decision]{
		Line: s.line, PromptTimeout: s.cfg.AskTimeout,
		Question: func(string) *pending { return &pending{} },
		OnQueued: func(string) {},
		Recheck:  func() (policy.Decision, bool) { return policy.Decision{}, false },
	}
	race.Prompt = func(ctx context.Context, id string) (err error) {
		given, err := s.showElicitation(ctx, f, accepts)
		if err != nil {
			return err
		}
		return s.line.Answer(id, func(*pending) (policy.Decision, error) { answer = given; return policy.Decision{}, nil })
	}
	switch _, err = race.Run(ctx); {
	case ctx.Err() != nil:
		return filled, context.Cause(ctx)
	case errors.Is(err, ErrExpired):
		return filled, nil
	case err != nil:
		return filled, err
	}
	return answer, nil
}

// showElicitation shows a form until its content is accepted.
func (s *Session) showElicitation(ctx context.Context, f Elicitation, accepts func(json.RawMessage) error) (filled ElicitResult, err error) {
	for ctx.Err() == nil {
		shown := f
		shown.Schema, shown.AgentPath = slices.Clone(f.Schema), slices.Clone(f.AgentPath)
		if err := markPanic(goroutine.Try(func() (err error) { filled, err = s.cfg.Elicit(ctx, &shown); return err })); err != nil {
			return ElicitResult{}, fmt.Errorf("filling a form: %w", err)
		}
		switch filled.Action {
		case ElicitAccept:
		case ElicitDecline:
			return ElicitResult{Action: ElicitDecline}, nil
		case ElicitCancel, "":
			return ElicitResult{Action: ElicitCancel}, nil
		default:
			return ElicitResult{}, fmt.Errorf("filling a form: unknown action %q", filled.Action)
		}
		problem := accepts(filled.Content)
		if problem == nil {
			return ElicitResult{Action: ElicitAccept, Content: slices.Clone(filled.Content)}, nil
		}
		f.Problem = problem.Error()
	}
	return ElicitResult{}, context.Cause(ctx)
}
