package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

const ageSchema = `{"type":"object","properties":{"age":{"type":"integer","minimum":0}},"required":["age"]}`

func TestFill(t *testing.T) {
	t.Parallel()
	accept := func(content string) pegboard.ElicitResult {
		return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(content)}
	}
	errNo := errors.New("the window is closed")
	for _, tc := range []struct {
		name     string
		form     pegboard.Elicitation // with ageSchema if it is zero
		answers  []pegboard.ElicitResult
		err      error
		noFill   bool
		cfg      pegboard.SessionConfig
		want     pegboard.ElicitResult
		problems []string // that the user is shown, beside those of the first form
		wantErr  error
		says     string
	}{
		{name: "accepted", answers: []pegboard.ElicitResult{accept(`{"age":3}`)}, want: accept(`{"age":3}`)},
		{name: "declined", answers: []pegboard.ElicitResult{{Action: pegboard.ElicitDecline}}, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "declined with content", answers: []pegboard.ElicitResult{{Action: pegboard.ElicitDecline, Content: json.RawMessage(`{"age":3}`)}}, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "cancelled", answers: []pegboard.ElicitResult{{Action: pegboard.ElicitCancel}}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}},
		{name: "the zero answer", answers: []pegboard.ElicitResult{{}}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}},
		{name: "an unknown action", answers: []pegboard.ElicitResult{{Action: "yes"}}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, says: `unknown action "yes"`},
		{name: "a value that does not fit", answers: []pegboard.ElicitResult{accept(`{"age":-1}`), accept(`{"age":1}`)}, want: accept(`{"age":1}`), problems: []string{"age"}},
		{name: "no JSON, nothing, then a decline", answers: []pegboard.ElicitResult{accept(`{`), accept(``), {Action: pegboard.ElicitDecline}}, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}, problems: []string{"JSON", "no content"}},
		{name: "an address", form: pegboard.Elicitation{URL: "https://example.test/login"}, answers: []pegboard.ElicitResult{accept(``)}, want: accept(``)},
		{name: "content for an address", form: pegboard.Elicitation{URL: "https://example.test/login"}, answers: []pegboard.ElicitResult{accept(`{}`), accept(``)}, want: accept(``), problems: []string{"no content"}},
		{name: "no user", noFill: true, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "a user who must not be disturbed", cfg: pegboard.SessionConfig{NoPrompts: true}, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "an error", err: errNo, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: errNo},
		{name: "both", form: pegboard.Elicitation{Schema: json.RawMessage(ageSchema), URL: "https://example.test"}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: pegboard.ErrInvalidElicitation, says: "both"},
		{name: "neither", form: pegboard.Elicitation{Message: "?"}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: pegboard.ErrInvalidElicitation, says: "neither"},
		{name: "an address that is no web page", form: pegboard.Elicitation{URL: "javascript:alert(1)"}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: pegboard.ErrInvalidElicitation, says: "URL"},
		{name: "a file", form: pegboard.Elicitation{URL: "file:///etc/passwd"}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: pegboard.ErrInvalidElicitation, says: "URL"},
		{name: "a schema that is none", form: pegboard.Elicitation{Schema: json.RawMessage(`{"type":3}`)}, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, wantErr: pegboard.ErrInvalidElicitation, says: "schema"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var problems []string
			if tc.form.Schema == nil && tc.form.URL == "" && tc.form.Message == "" {
				tc.form = pegboard.Elicitation{From: "srv", Message: "How old?", Schema: json.RawMessage(ageSchema), Problem: "not mine"}
			}
			if !tc.noFill {
				tc.cfg.Elicit = func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
					require.Equal(t, tc.form.Message, f.Message)
					problems = append(problems, f.Problem)
					if tc.err != nil {
						return pegboard.ElicitResult{}, tc.err
					}
					clear(f.Schema) // the form is the user's own
					return tc.answers[len(problems)-1], nil
				}
			}
			got, err := session(t, tc.cfg).Elicit(t.Context(), tc.form)
			require.Equal(t, tc.want.Action, got.Action)
			require.Equal(t, string(tc.want.Content), string(got.Content))
			if tc.wantErr == nil && tc.says == "" {
				require.NoError(t, err)
				require.Len(t, problems, len(tc.answers))
			}
			if tc.wantErr != nil {
				require.ErrorIs(t, err, tc.wantErr)
			}
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
			}
			for i, says := range tc.problems {
				require.Empty(t, problems[0])
				require.Contains(t, problems[i+1], says)
			}
		})
	}
}

// TestFillThatDoesNotEnd ends by the limit of the user, its context or the session.
func TestFillThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	errEnd := errors.New("the end")
	for _, tc := range []struct {
		name    string
		timeout time.Duration
		end     func(s *pegboard.Session, cancel context.CancelCauseFunc)
		want    error
	}{
		{name: "the user's time is over", timeout: time.Minute},
		{name: "the context", end: func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(errEnd) }, want: errEnd},
		{name: "an interrupt", end: func(s *pegboard.Session, _ context.CancelCauseFunc) { s.Interrupt(errEnd) }, want: errEnd},
		{name: "the session", end: func(s *pegboard.Session, _ context.CancelCauseFunc) { _ = s.Close(context.Background()) }, want: pegboard.ErrClosed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, pegboard.SessionConfig{AskTimeout: tc.timeout, Elicit: func(ctx context.Context, _ *pegboard.Elicitation) (pegboard.ElicitResult, error) {
					<-ctx.Done()
					return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"age":1}`)}, nil
				}})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.end != nil {
					time.AfterFunc(time.Hour, func() { tc.end(s, cancel) })
				}
				got, err := s.Elicit(ctx, pegboard.Elicitation{Schema: json.RawMessage(ageSchema)})
				require.ErrorIs(t, err, tc.want)
				require.Equal(t, pegboard.ElicitResult{Action: pegboard.ElicitCancel}, got)
			})
		})
	}
	closed := session(t, pegboard.SessionConfig{Elicit: func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) { panic("it is closed") }})
	require.NoError(t, closed.Close(t.Context()))
	_, err := closed.Elicit(t.Context(), pegboard.Elicitation{Schema: json.RawMessage(ageSchema)})
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

// TestFillThatPanics costs the form and nothing else.
func TestFillThatPanics(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Elicit: func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) { panic("oh") }})
	for range 2 {
		got, err := s.Elicit(t.Context(), pegboard.Elicitation{Schema: json.RawMessage(ageSchema)})
		require.ErrorIs(t, err, pegboard.ErrPanic)
		require.Equal(t, pegboard.ElicitResult{Action: pegboard.ElicitCancel}, got)
	}
}

// TestFillOfAFork asks whom its parent asks.
func TestFillOfAFork(t *testing.T) {
	t.Parallel()
	var from []string
	fill := func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		from = f.AgentPath
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	s := session(t, pegboard.SessionConfig{Elicit: fill})
	_, err := s.Fork(pegboard.SessionConfig{Elicit: fill})
	require.ErrorContains(t, err, "leave Elicit empty")
	child, err := s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	_, err = child.Elicit(t.Context(), pegboard.Elicitation{Schema: json.RawMessage(ageSchema), AgentPath: []string{"somebody else"}})
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, from)
	quiet, err := s.Fork(pegboard.SessionConfig{NoPrompts: true})
	require.NoError(t, err)
	got, err := quiet.Elicit(t.Context(), pegboard.Elicitation{Schema: json.RawMessage(ageSchema)})
	require.NoError(t, err)
	require.Equal(t, pegboard.ElicitDecline, got.Action)
}

// TestFillStandsInLine: the user sees one question or form at a time, and a form is no
// question.
func TestFillStandsInLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shown []string
		busy := 0
		show := func(what string) {
			require.Zero(t, busy)
			busy++
			shown = append(shown, what)
			time.Sleep(time.Minute)
			busy--
		}
		s := session(t, pegboard.SessionConfig{
			Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				require.Zero(t, q.Others)
				show("question")
				return policy.Decision{Behavior: policy.Allow}, nil
			},
			Elicit: func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				show(f.Message)
				return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"age":1}`)}, nil
			},
		})
		a := actor{name: "T"}
		pool := a.pool(t, s)
		done := make(chan error, 2)
		for i, form := range []string{"first", "last"} {
			time.AfterFunc(time.Duration(1+2*i)*time.Second, func() {
				_, err := s.Elicit(t.Context(), pegboard.Elicitation{Message: form, Schema: json.RawMessage(ageSchema)})
				done <- err
			})
		}
		time.Sleep(2 * time.Second)
		require.Empty(t, s.Questions())
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", ``))[0].Err)
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		require.Equal(t, []string{"first", "question", "last"}, shown)
	})
}

// Elicit of a fork knows which session asks.
func TestFillIsGivenTheSession(t *testing.T) {
	t.Parallel()
	var asks []*pegboard.Session
	s, err := pegboard.NewSession(pegboard.SessionConfig{Elicit: func(ctx context.Context, _ *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		asking, _ := pegboard.SessionFrom(ctx)
		asks = append(asks, asking)
		return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, nil
	}})
	require.NoError(t, err)
	fork, err := s.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	for _, asking := range []*pegboard.Session{s, fork} {
		_, err := asking.Elicit(context.Background(), pegboard.Elicitation{From: "far", Message: "Go there.", URL: "https://example.com/"})
		require.NoError(t, err)
	}
	require.Equal(t, []*pegboard.Session{s, fork}, asks)
}

// TestFormsShowTheHostThatIsMeant: a server cannot pass its host off as another.
func TestFormsShowTheHostThatIsMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, shown string }{
		{"https://example.com/a%2Fb?c=d&e=%20#f", "https://example.com/a%2Fb?c=d&e=%20#f"},
		{"HTTPS://Example.com:8443", "https://example.com:8443"},
		{"http://[::1]:80/x", "http://[::1]:80/x"},
		{"https://g\u043e\u043egle.com/\u202Ex?\u202E#\u202E", "https://xn--ggle-55da.com/%E2%80%AEx?%E2%80%AE#%E2%80%AE"},
		{"https://%65vil.example/x", ""},
		{"https://github.com@evil.example/", ""},
		{"https://github.com:x@evil.example/", ""},
		{"https://a b/", ""},
		{`https://github.com\@evil.example/`, ""},
	} {
		var shown string
		s := session(t, pegboard.SessionConfig{Elicit: func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
			shown = f.URL
			return pegboard.ElicitResult{Action: pegboard.ElicitAccept}, nil
		}})
		_, err := s.Elicit(t.Context(), pegboard.Elicitation{URL: tt.address})
		require.Equal(t, tt.shown, shown, tt.address)
		require.Equal(t, tt.shown == "", errors.Is(err, pegboard.ErrInvalidElicitation), "%v", err)
	}
}
