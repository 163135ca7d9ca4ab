package pegboard

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// DefaultSuspensionExpiry is how long the questions of a [Suspension] may be answered when
// [Suspending].Expiry is zero: a week.
const DefaultSuspensionExpiry = 7 * 24 * time.Hour

// minSuspendKey is how many bytes a key has at least: as many as the hash.
//
// source: RFC 2104, section 3: shorter keys decrease the strength of HMAC.
const minSuspendKey = 32

// Suspending has a main session suspend calls instead of waiting for the user, and keep a
// journal of its calls. Key and Journal are required.
type Suspending struct {
	// Key signs each [Suspension] and each [JournalEntry]. It has at least 32 bytes from a
	// cryptographic source, and is the same in all processes that resume. It must not be
	// changed. A program that knows it can make approvals.
	Key []byte
	// Journal keeps the steps of each call, see [Journal].
	Journal Journal
	// Expiry is how long a question may be answered after it was asked first; 0 means
	// [DefaultSuspensionExpiry].
	Expiry time.Duration
	// Suggest is the destination of [SuspendedQuestion].Suggestions; empty means
	// [SourceSession].
	Suggest RuleSource
}

// check returns why a session with the configuration cannot suspend calls, or nil.
func (s *Suspending) check(cfg *SessionConfig) error {
	switch {
	case s == nil:
		return nil
	case len(s.Key) < minSuspendKey:
		return fmt.Errorf("Suspend.Key has %d bytes; use %d or more from crypto/rand", len(s.Key), minSuspendKey)
	case s.Journal == nil:
		return errors.New("Suspend.Journal is nil; use NewFileJournal or a Journal of your own")
	case s.Expiry < 0:
		return fmt.Errorf("Suspend.Expiry is %v; use 0 for the default", s.Expiry)
	case cfg.ID == "":
		return errors.New("a session that suspends calls needs an ID, which its values and journal are bound to")
	}
	return nil
}

// expiry returns how long a question may be answered.
func (s *Suspending) expiry() time.Duration { return cmp.Or(s.Expiry, DefaultSuspensionExpiry) }
