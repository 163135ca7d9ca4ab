package comms_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/comms"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A channel is a host's channel that keeps what it was given.
type channel struct {
	messages      []comms.Message
	deliveries    []comms.Delivery
	notifications []comms.Notification
	contents      []string // of the files, in order
	session       *pegboard.Session
}

func (ch *channel) keep(s *pegboard.Session, files []comms.File) error {
	ch.session = s
	for _, f := range files {
		data, err := io.ReadAll(f.Content)
		if err != nil {
			return err
		}
		ch.contents = append(ch.contents, string(data))
	}
	return nil
}

// options returns options with all funcs.
func (ch *channel) options() comms.Options {
	return comms.Options{
		Send: func(_ context.Context, s *pegboard.Session, m comms.Message) error {
			ch.messages = append(ch.messages, m)
			return ch.keep(s, m.Files)
		},
		SendFile: func(_ context.Context, s *pegboard.Session, d comms.Delivery) error {
			ch.deliveries = append(ch.deliveries, d)
			return ch.keep(s, d.Files)
		},
		Push: func(_ context.Context, s *pegboard.Session, n comms.Notification) (comms.Pushed, error) {
			ch.notifications, ch.session = append(ch.notifications, n), s
			return comms.Pushed{Push: true, Local: true}, nil
		},
		Capture: func(context.Context, *pegboard.Session, int) (string, error) { return "$ make\nok\n", nil },
		Subscribe: func(context.Context, *pegboard.Session, string) (comms.Subscription, error) {
			return func(context.Context) (string, error) { return "merged", io.EOF }, nil
		},
	}
}

// made returns the tool of a constructor.
func made(t *testing.T, constructor func(comms.Options) (pegboard.Tool, error), o comms.Options) pegboard.Tool {
	t.Helper()
	tool, err := constructor(o)
	require.NoError(t, err)
	return tool
}

// sessionIn returns a session in dir that asks nobody.
func sessionIn(t *testing.T, dir string, mode policy.Mode, rules policy.RuleSet) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(mode, rules)
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755)) //nolint:gosec // of a test
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// sent calls SendUserFile.
func sent(t *testing.T, o comms.Options, s *pegboard.Session, paths ...string) pegboard.Outcome {
	t.Helper()
	return tooltest.Run(t.Context(), made(t, comms.SendUserFile, o), s, jsonOf(t, map[string]any{"files": paths}))
}

// dataOf returns the data of a result that is no error.
func dataOf[T any](t *testing.T, out pegboard.Outcome) T {
	t.Helper()
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(T)
	require.True(t, ok)
	return data
}
