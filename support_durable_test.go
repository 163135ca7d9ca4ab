package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// durableKey is the key of the sessions that suspend in tests.
var durableKey = bytes.Repeat([]byte("k"), 32)

// memoryJournal is a journal in memory. It can be given a limit, after which the process that
// writes it is as good as dead.
type memoryJournal struct {
	mu      sync.Mutex
	entries []pegboard.JournalEntry
	fail    func(e pegboard.JournalEntry) error // nil: never
	added   func(e pegboard.JournalEntry)       // nil: nothing
}

func (m *memoryJournal) Append(_ context.Context, e pegboard.JournalEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(e); err != nil {
			return err
		}
	}
	for _, o := range m.entries {
		if o.Session == e.Session && o.Turn == e.Turn && o.Place == e.Place && o.State == e.State && o.Attempt == e.Attempt {
			return fmt.Errorf("%w: %s of call %d", pegboard.ErrDuplicate, e.State, e.Place)
		}
	}
	m.entries = append(m.entries, e)
	if m.added != nil {
		m.added(e)
	}
	return nil
}

func (m *memoryJournal) Entries(_ context.Context, session, turn string) (list []pegboard.JournalEntry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.Session == session && e.Turn == turn {
			list = append(list, e)
		}
	}
	return list, nil
}

// states lists the journal's entries of a call.
func (m *memoryJournal) states(callID string) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.CallID == callID {
			list = append(list, string(e.State))
		}
	}
	return list
}

// suspending returns the configuration of a session that suspends.
func suspending(j pegboard.Journal, cfg pegboard.SessionConfig) pegboard.SessionConfig {
	cfg.ID = "session-1"
	cfg.Suspend = &pegboard.Suspending{Key: durableKey, Journal: j}
	return cfg
}

// saved returns what another process loads of a value.
func saved(t testing.TB, v *pegboard.Suspension) *pegboard.Suspension {
	t.Helper()
	require.NotNil(t, v)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	loaded := new(pegboard.Suspension)
	require.NoError(t, json.Unmarshal(text, loaded))
	return loaded
}
