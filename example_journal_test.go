package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// journalStep has the columns of the unique index.
type journalStep struct {
	session, turn  string
	place, attempt int
	state          pegboard.JournalState
}

// tableJournal is a Journal as a host makes it of a table of its database. Here the table is a
// map.
type tableJournal struct {
	rows  map[journalStep]pegboard.JournalEntry
	order []journalStep
}

func (t *tableJournal) Append(_ context.Context, e pegboard.JournalEntry) error {
	key := journalStep{e.Session, e.Turn, e.Place, e.Attempt, e.State}
	if _, taken := t.rows[key]; taken { // a violation of the index
		return fmt.Errorf("%w: %s of call %d", pegboard.ErrDuplicate, e.State, e.Place)
	}
	t.rows[key] = e
	t.order = append(t.order, key)
	return nil
}

func (t *tableJournal) Entries(_ context.Context, session, turn string) (list []pegboard.JournalEntry, err error) {
	for _, key := range t.order {
		if key.session == session && key.turn == turn {
			list = append(list, t.rows[key])
		}
	}
	return list, nil
}

// A journal of the host's own: each step of a call is added once.
func ExampleJournal() {
	var journal pegboard.Journal = &tableJournal{rows: map[journalStep]pegboard.JournalEntry{}}
	session := begin(pegboard.SessionConfig{ID: "conversation-1", Suspend: &pegboard.Suspending{Key: make([]byte, 32), Journal: journal}})
	var registry pegboard.Registry
	if err := registry.Add(inert("Nod")); err != nil {
		panic(err)
	}
	ctx := pegboard.WithTurn(context.Background(), "message-1")
	var executor pegboard.Executor
	executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Nod"})

	entries, err := journal.Entries(ctx, "conversation-1", "message-1")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		fmt.Println(e.CallID, e.Tool, e.State)
	}
	err = journal.Append(ctx, entries[0])
	fmt.Println(errors.Is(err, pegboard.ErrDuplicate))
	// Output:
	// 1 Nod proposed
	// true
}

// Files of turns that are older than any value that may be resumed are of no use.
func ExampleFileJournal_Sweep() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	journal, err := pegboard.NewFileJournal(dir)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := journal.Append(ctx, pegboard.JournalEntry{Session: "conversation-1", Turn: "message-1", State: pegboard.JournalProposed, Data: []byte(`{}`)}); err != nil {
		panic(err)
	}
	for _, age := range []time.Duration{pegboard.DefaultSuspensionExpiry, -time.Second} {
		if err := journal.Sweep(time.Now().Add(-age)); err != nil {
			panic(err)
		}
		entries, err := journal.Entries(ctx, "conversation-1", "message-1")
		fmt.Println(len(entries), err)
	}
	// Output:
	// 1 <nil>
	// 0 <nil>
}
