// Package mailbox keeps messages until they are taken: in memory, or in a directory, where
// they outlast the program. A message is any JSON; the owner of a directory may allow less.
//
// A mailbox is a name. It exists as soon as a message is put into it.
//
// # Files
//
// A mailbox is a directory, and a message is a file in it, with the bytes of the message and
// a name that sorts by the time at which it was put. The file is written beside its place and
// renamed into it. Take renames the file before it reads it, and [Boxes.Confirm] removes it. If
// the program ends between the two, the next [Open] puts the message back. So no message is
// lost, and a message is taken twice only if the program ends, or [Boxes.GiveBack] is called,
// before it was confirmed.
//
// A file that can never be read as a message is set aside. One that cannot be read now is tried
// again by the next Take, and keeps back those behind it, so that the order of each sender
// stays; after three tries it is set aside, too.
//
// A directory belongs to one Boxes at a time, which its owner has to see to: [Open] puts back
// what another one has taken.
//
// # Concurrency
//
// All methods may be called concurrently. Messages that one goroutine puts into a mailbox
// are taken in that order.
package mailbox

import (
	"errors"
	"fmt"
	"regexp"
)

// MaxMessage is the number of bytes that a message may have. A text of 1 MiB fits in, however its
// characters are escaped, with the JSON around it.
const MaxMessage = 6<<20 + 64<<10

// maxBox is the number of bytes of the messages in one mailbox in memory.
const maxBox = 64 << 20

// The errors.
var (
	// ErrBadName: a mailbox cannot have the name.
	ErrBadName = errors.New("no name of a mailbox")
	// ErrTooLong: a message has more than MaxMessage bytes.
	ErrTooLong = errors.New("the message is too long")
	// ErrFull: a mailbox in memory has no room for the message.
	ErrFull = errors.New("the mailbox is full")
	// ErrClosed: the mailboxes were closed.
	ErrClosed = errors.New("the mailboxes are closed")
	// ErrNotJSON: a message is not valid JSON.
	ErrNotJSON = errors.New("the message is not JSON")
)

// A FileError says that a file in a mailbox could not be read.
type FileError struct {
	// Path is where the file is now. It ends in ".corrupt" if the file was set aside, so that
	// it is not tried again.
	Path string
	Err  error // the reason
}

// Error returns the path and the reason.
func (e FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the reason.
func (e FileError) Unwrap() error { return e.Err }

var (
	goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	devices  = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// CheckName returns an error that wraps ErrBadName if a mailbox cannot have the name. A name
// has 1 to 64 lower-case letters, digits, - and _, begins with a letter or a digit, and is no
// device of Windows. So it is one name in any directory of any system.
func CheckName(name string) error {
	if !goodName.MatchString(name) || devices.MatchString(name) {
		return fmt.Errorf("%w: %.80q", ErrBadName, name)
	}
	return nil
}

// A storage keeps messages. Names are unique and sort by the time at which they were given.
type storage interface {
	put(box, name string, message []byte) error
	// take claims messages, oldest first, of at most limit bytes together or one.
	take(box string, limit int) (messages [][]byte, problems []FileError)
	confirm(box string) error  // removes the claimed messages
	giveBack(box string) error // puts the claimed messages back
	has(box string) bool
	newest() int64 // a number that no name has reached
	close() error
}
