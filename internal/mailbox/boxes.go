package mailbox

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// Boxes are mailboxes. Make them with [New] or [Open].
type Boxes struct {
	storage storage

	mu       lock.Mutex
	last     int64                    // the number in the last name that was given
	arrivals map[string]chan struct{} // closed at the next message of a mailbox; made by Arrival
	closed   bool
}

// New returns mailboxes in memory. One mailbox holds at most 64 MiB.
func New() *Boxes { return newBoxes(&memory{}) }

// Open returns the mailboxes of a directory, an absolute path. The directory is created for
// this user alone if it is missing. Messages that a program took and did not confirm before
// it ended are put back. Valid returns an error for JSON that is no message, which is set aside
// when it is taken; nil accepts any JSON.
func Open(dir string, valid func(message []byte) error) (*Boxes, error) {
	d, err := openDirectory(dir, valid)
	if err != nil {
		return nil, err
	}
	return newBoxes(d), nil
}

func newBoxes(s storage) *Boxes {
	return &Boxes{storage: s, last: s.newest(), arrivals: map[string]chan struct{}{}}
}

// Put puts a message into a mailbox. When it returns without an error, the message is there,
// and in a directory it is on the disk. With an error the message is not there.
func (b *Boxes) Put(box string, message json.RawMessage) error {
	switch err := CheckName(box); {
	case err != nil:
		return err
	case len(message) > MaxMessage:
		return fmt.Errorf("%w: it has %d bytes, and at most %d are allowed", ErrTooLong, len(message), MaxMessage)
	case !json.Valid(message):
		return ErrNotJSON
	}
	name, err := b.newName()
	if err != nil {
		return err
	}
	if err := b.storage.put(box, name, message); err != nil {
		return err
	}
	b.wake(box)
	return nil
}

// newName returns the name of a new message. Names sort as they were given, also when the
// clock is set back.
func (b *Boxes) newName() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return "", ErrClosed
	}
	b.last = max(b.last+1, time.Now().UnixNano())
	return fmt.Sprintf("%020d-%s", b.last, strings.ToLower(rand.Text()[:8])), nil
}

// wake tells those who wait for a message in a mailbox that there is one.
func (b *Boxes) wake(box string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if arrival, ok := b.arrivals[box]; ok {
		close(arrival)
		delete(b.arrivals, box)
	}
}

// Arrival returns a channel that is closed when the next message is put into a mailbox, or
// when the mailboxes are closed. To wait, call Arrival before Take or Has.
func (b *Boxes) Arrival(box string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	arrival, ok := b.arrivals[box]
	if !ok {
		arrival = make(chan struct{})
		if b.closed {
			close(arrival)
			return arrival
		}
		b.arrivals[box] = arrival
	}
	return arrival
}

// Take returns messages of a mailbox, the oldest first: as many as have limit bytes together,
// but at least one if there is one. No other Take returns them, unless GiveBack puts them
// back. A file that cannot be read is a problem, which is returned when it occurs first and when
// the file is set aside.
func (b *Boxes) Take(box string, limit int) ([]json.RawMessage, []FileError) {
	if CheckName(box) != nil || b.isClosed() {
		return nil, nil
	}
	taken, problems := b.storage.take(box, limit)
	if b.isClosed() {
		problems = nil // the directory was closed meanwhile
	}
	messages := make([]json.RawMessage, len(taken))
	for i, m := range taken {
		messages[i] = m
	}
	return messages, problems
}

// Has reports whether a mailbox has a message that was not taken.
func (b *Boxes) Has(box string) bool {
	return CheckName(box) == nil && !b.isClosed() && b.storage.has(box)
}

// Confirm removes the messages that were taken from a mailbox, after their content was kept
// elsewhere.
func (b *Boxes) Confirm(box string) error {
	if err := CheckName(box); err != nil || b.isClosed() {
		return err
	}
	return b.storage.confirm(box)
}

// GiveBack puts the messages that were taken and not confirmed back into a mailbox, in their
// old order, before those that have come since. It wakes waiters.
func (b *Boxes) GiveBack(box string) error {
	if err := CheckName(box); err != nil || b.isClosed() {
		return err
	}
	err := b.storage.giveBack(box)
	if b.storage.has(box) {
		b.wake(box)
	}
	return err
}

// Close gives all messages back that were taken and not confirmed, and wakes all waiters.
// Afterwards the mailboxes are empty and Put fails. Messages in a directory stay there.
func (b *Boxes) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	for box, arrival := range b.arrivals {
		close(arrival)
		delete(b.arrivals, box)
	}
	b.mu.Unlock()
	return b.storage.close()
}

func (b *Boxes) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}
