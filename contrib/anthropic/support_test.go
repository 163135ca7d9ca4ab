package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A service is a fake Messages API that plays a script.
type service struct {
	sdk.Client

	mu       sync.Mutex
	requests []string
}

// serve returns a service whose answers are those of the handler.
func serve(t *testing.T, h http.Handler) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, string(body))
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.Client = sdk.NewClient(option.WithoutEnvironmentDefaults(), option.WithAPIKey("k"), option.WithBaseURL(server.URL), option.WithMaxRetries(2))
	return s
}

func play(t *testing.T, turns ...tooltest.Turn) *service {
	t.Helper()
	return serve(t, tooltest.Provider{Turns: turns})
}

// asked returns the bodies of the requests.
func (s *service) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func params(messages ...sdk.BetaMessageParam) sdk.BetaToolRunnerParams {
	if messages == nil {
		messages = []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("Go."))}
	}
	return sdk.BetaToolRunnerParams{BetaMessageNewParams: sdk.BetaMessageNewParams{Model: "m", MaxTokens: 100, Messages: messages}}
}

// A loop runs one of the SDK's runners to its end and returns its messages.
type loop func(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) ([]sdk.BetaMessageParam, error)

func whole(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) ([]sdk.BetaMessageParam, error) {
	runner := pegboardanthropic.NewToolRunner(client, e, p, params())
	_, err := runner.RunToCompletion(ctx)
	return runner.Messages(), err
}

func streamed(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) ([]sdk.BetaMessageParam, error) {
	runner := pegboardanthropic.NewToolRunnerStreaming(client, e, p, params())
	for events := range runner.AllStreaming(ctx) {
		for _, err := range events {
			if err != nil {
				return runner.Messages(), err
			}
		}
	}
	return runner.Messages(), nil
}

// bothWays calls test with both runners.
func bothWays(t *testing.T, test func(t *testing.T, run loop)) {
	t.Helper()
	t.Run("whole", func(t *testing.T) { t.Parallel(); test(t, whole) })
	t.Run("streamed", func(t *testing.T) { t.Parallel(); test(t, streamed) })
}

func newSession(t *testing.T, cfg pegboard.SessionConfig, allow ...string) *pegboard.Session {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	var err error
	cfg.Permissions, err = policy.New(policy.ModeDefault, policy.RuleSet{Allow: allow})
	require.NoError(t, err)
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	s.NewTurn()
	return s
}

func poolOf(t *testing.T, s *pegboard.Session, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

func call(name, format string, args ...any) pegboard.Call {
	return pegboard.Call{Name: name, Input: json.RawMessage(fmt.Sprintf(format, args...))}
}

// reads returns an Expect that wants these texts, a failed result as the runner words it.
func reads(want ...string) func([]pegboard.Outcome) error {
	return func(outcomes []pegboard.Outcome) error {
		var got []string
		for _, o := range outcomes {
			if o.Result.IsError != strings.HasPrefix(o.Result.Text(), "Error: ") {
				return fmt.Errorf("is_error of %q is %v", o.Result.Text(), o.Result.IsError)
			}
			got = append(got, o.Result.Text())
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("the model reads %q, want %q", got, want)
		}
		return nil
	}
}

// double is a tool that reads nothing but its input.
var double = pegboard.Build(pegboard.Definition[said, string]{
	Info: pegboard.Info{Name: "Double"}, Description: "Says a text twice.", Traits: pegboard.Traits{ReadOnly: true},
	Call: func(_ context.Context, in said, _ *pegboard.Call) (string, error) { return in.Text + in.Text, nil },
})

type said struct {
	Text string `json:"text" jsonschema_description:"What to say."`
	Also int    `json:"also,omitempty"`
}
