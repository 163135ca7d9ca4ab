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
	accept := func(content string) pegboard.Filled {
		return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(content)}
	}
	errNo := errors.New("the window is closed")
	for _, tc := range []struct {
		name     string
		form     pegboard.Form // with ageSchema if it is zero
		answers  []pegboard.Filled
		err      error
		noFill   bool
		cfg      pegboard.SessionConfig
		want     pegboard.Filled
		problems []string // that the user is shown, beside those of the first form
		wantErr  error
		says     string
	}{
		{name: "accepted", answers: []pegboard.Filled{accept(`{"age":3}`)}, want: accept(`{"age":3}`)},
		{name: "declined", answers: []pegboard.Filled{{Action: pegboard.FillDecline}}, want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "declined with content", answers: []pegboard.Filled{{Action: pegboard.FillDecline, Content: json.RawMessage(`{"age":3}`)}}, want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "cancelled", answers: []pegboard.Filled{{Action: pegboard.FillCancel}}, want: pegboard.Filled{Action: pegboard.FillCancel}},
		{name: "the zero answer", answers: []pegboard.Filled{{}}, want: pegboard.Filled{Action: pegboard.FillCancel}},
		{name: "an unknown action", answers: []pegboard.Filled{{Action: "yes"}}, want: pegboard.Filled{Action: pegboard.FillCancel}, says: `unknown action "yes"`},
		{name: "a value that does not fit", answers: []pegboard.Filled{accept(`{"age":-1}`), accept(`{"age":1}`)}, want: accept(`{"age":1}`), problems: []string{"age"}},
		{name: "no JSON, nothing, then a decline", answers: []pegboard.Filled{accept(`{`), accept(``), {Action: pegboard.FillDecline}}, want: pegboard.Filled{Action: pegboard.FillDecline}, problems: []string{"JSON", "no content"}},
		{name: "an address", form: pegboard.Form{URL: "https://example.test/login"}, answers: []pegboard.Filled{accept(``)}, want: accept(``)},
		{name: "content for an address", form: pegboard.Form{URL: "https://example.test/login"}, answers: []pegboard.Filled{accept(`{}`), accept(``)}, want: accept(``), problems: []string{"no content"}},
		{name: "no user", noFill: true, want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "a user who must not be disturbed", cfg: pegboard.SessionConfig{NoPrompts: true}, want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "an error", err: errNo, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: errNo},
		{name: "both", form: pegboard.Form{Schema: json.RawMessage(ageSchema), URL: "https://example.test"}, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: pegboard.ErrInvalidForm, says: "both"},
		{name: "neither", form: pegboard.Form{Message: "?"}, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: pegboard.ErrInvalidForm, says: "neither"},
		{name: "an address that is no web page", form: pegboard.Form{URL: "javascript:alert(1)"}, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: pegboard.ErrInvalidForm, says: "URL"},
		{name: "a file", form: pegboard.Form{URL: "file:///etc/passwd"}, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: pegboard.ErrInvalidForm, says: "URL"},
		{name: "a schema that is none", form: pegboard.Form{Schema: json.RawMessage(`{"type":3}`)}, want: pegboard.Filled{Action: pegboard.FillCancel}, wantErr: pegboard.ErrInvalidForm, says: "schema"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var problems []string
			if tc.form.Schema == nil && tc.form.URL == "" && tc.form.Message == "" {
				tc.form = pegboard.Form{From: "srv", Message: "How old?", Schema: json.RawMessage(ageSchema), Problem: "not mine"}
			}
			if !tc.noFill {
				tc.cfg.Fill = func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
					require.Equal(t, tc.form.Message, f.Message)
					problems = append(problems, f.Problem)
					if tc.err != nil {
						return pegboard.Filled{}, tc.err
					}
					clear(f.Schema) // the form is the user's own
					return tc.answers[len(problems)-1], nil
				}
			}
			got, err := session(t, tc.cfg).Fill(t.Context(), tc.form)
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
				s := session(t, pegboard.SessionConfig{AskTimeout: tc.timeout, Fill: func(ctx context.Context, _ *pegboard.Form) (pegboard.Filled, error) {
					<-ctx.Done()
					return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(`{"age":1}`)}, nil
				}})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.end != nil {
					time.AfterFunc(time.Hour, func() { tc.end(s, cancel) })
				}
				got, err := s.Fill(ctx, pegboard.Form{Schema: json.RawMessage(ageSchema)})
				require.ErrorIs(t, err, tc.want)
				require.Equal(t, pegboard.Filled{Action: pegboard.FillCancel}, got)
			})
		})
	}
	closed := session(t, pegboard.SessionConfig{Fill: func(context.Context, *pegboard.Form) (pegboard.Filled, error) { panic("it is closed") }})
	require.NoError(t, closed.Close(t.Context()))
	_, err := closed.Fill(t.Context(), pegboard.Form{Schema: json.RawMessage(ageSchema)})
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

// TestFillThatPanics costs the form and nothing else.
func TestFillThatPanics(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Fill: func(context.Context, *pegboard.Form) (pegboard.Filled, error) { panic("oh") }})
	for range 2 {
		got, err := s.Fill(t.Context(), pegboard.Form{Schema: json.RawMessage(ageSchema)})
		require.ErrorIs(t, err, pegboard.ErrPanic)
		require.Equal(t, pegboard.Filled{Action: pegboard.FillCancel}, got)
	}
}

// TestFillOfAFork asks whom its parent asks.
func TestFillOfAFork(t *testing.T) {
	t.Parallel()
	var from []string
	fill := func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
		from = f.AgentPath
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	s := session(t, pegboard.SessionConfig{Fill: fill})
	_, err := s.Fork(pegboard.SessionConfig{Fill: fill})
	require.ErrorContains(t, err, "leave Fill empty")
	child, err := s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	_, err = child.Fill(t.Context(), pegboard.Form{Schema: json.RawMessage(ageSchema), AgentPath: []string{"somebody else"}})
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, from)
	quiet, err := s.Fork(pegboard.SessionConfig{NoPrompts: true})
	require.NoError(t, err)
	got, err := quiet.Fill(t.Context(), pegboard.Form{Schema: json.RawMessage(ageSchema)})
	require.NoError(t, err)
	require.Equal(t, pegboard.FillDecline, got.Action)
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
			Fill: func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
				show(f.Message)
				return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(`{"age":1}`)}, nil
			},
		})
		a := actor{name: "T"}
		pool := a.pool(t, s)
		done := make(chan error, 2)
		for i, form := range []string{"first", "last"} {
			time.AfterFunc(time.Duration(1+2*i)*time.Second, func() {
				_, err := s.Fill(t.Context(), pegboard.Form{Message: form, Schema: json.RawMessage(ageSchema)})
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

// Fill of a fork knows which session asks.
func TestFillIsGivenTheSession(t *testing.T) {
	t.Parallel()
	var asks []*pegboard.Session
	s, err := pegboard.NewSession(pegboard.SessionConfig{Fill: func(ctx context.Context, _ *pegboard.Form) (pegboard.Filled, error) {
		asking, _ := pegboard.SessionFrom(ctx)
		asks = append(asks, asking)
		return pegboard.Filled{Action: pegboard.FillCancel}, nil
	}})
	require.NoError(t, err)
	fork, err := s.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	for _, asking := range []*pegboard.Session{s, fork} {
		_, err := asking.Fill(context.Background(), pegboard.Form{From: "far", Message: "Go there.", URL: "https://example.com/"})
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
		s := session(t, pegboard.SessionConfig{Fill: func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
			shown = f.URL
			return pegboard.Filled{Action: pegboard.FillAccept}, nil
		}})
		_, err := s.Fill(t.Context(), pegboard.Form{URL: tt.address})
		require.Equal(t, tt.shown, shown, tt.address)
		require.Equal(t, tt.shown == "", errors.Is(err, pegboard.ErrInvalidForm), "%v", err)
	}
}
