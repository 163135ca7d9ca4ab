package mailbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// The files of a directory. A message is NUMBER-RANDOM.msg, and NUMBER-RANDOM.msg.taken while it is
// taken.
const (
	messageSuffix = ".msg"
	takenSuffix   = ".taken"
	corruptSuffix = ".corrupt"
	tempSuffix    = ".tmp" // of internal/atomicfile
)

// A directory keeps messages in files.
type directory struct {
	path  string
	root  *os.Root
	store atomicfile.Store
	valid func(message []byte) error // nil accepts any JSON
	last  int64                      // the highest number of a name when the directory was opened

	mu    lock.Mutex // guards the map
	boxes map[string]*directoryBox
}

// A directoryBox is one mailbox of a directory.
type directoryBox struct {
	mu    lock.Mutex // held while files are renamed, so that messages are taken in order
	taken []string   // the names of the files, without suffix
	told  string     // why the mailbox could not be read at the last take; empty if it could
	late  string     // the message that could not be read at the last take; empty if all could
	tries int        // how often it could not
}

func openDirectory(path string, valid func(message []byte) error) (*directory, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("the directory %s of the mailboxes is not absolute", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the directory of the mailboxes: %w", err)
	}
	path = realpath.Resolve(path)
	root, err := realpath.OpenDir(path)
	if err != nil {
		return nil, fmt.Errorf("the directory of the mailboxes: %w", err)
	}
	d := &directory{path: path, root: root, valid: valid, boxes: map[string]*directoryBox{}}
	if err := d.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("the directory of the mailboxes: %w", err), root.Close())
	}
	return d, nil
}

// recover puts the messages of an ended program back.
func (d *directory) recover() error {
	entries, err := d.entries(".")
	for _, e := range entries {
		if e.IsDir() && CheckName(e.Name()) == nil {
			err = errors.Join(err, d.recoverBox(e.Name()))
		}
	}
	return err
}

// recoverBox puts the messages back that an ended program has taken from a mailbox, and
// removes the files of unfinished messages.
func (d *directory) recoverBox(box string) error {
	entries, err := d.entries(box)
	for _, e := range entries {
		name := e.Name()
		d.last = max(d.last, number(name))
		switch stem, _, _ := strings.Cut(name, "."); {
		case strings.HasSuffix(name, takenSuffix):
			err = errors.Join(err, d.root.Rename(box+"/"+name, box+"/"+stem+messageSuffix))
		case stem == "" && strings.HasSuffix(name, tempSuffix):
			err = errors.Join(err, d.root.Remove(box+"/"+name))
		}
	}
	return err
}

// entries lists a directory below d, sorted by name. A directory that does not exist is
// empty. A link to a directory is an error.
func (d *directory) entries(name string) ([]fs.DirEntry, error) {
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir(): // to open a pipe would wait for its other end
		return nil, errors.New("no directory stands there, so it is no mailbox")
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, notGone(err)
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// number returns the number in the name of a message, or 0.
func number(name string) int64 {
	digits, _, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// notGone returns err, unless it says that the file does not exist: somebody has removed it.
func notGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *directory) box(name string) *directoryBox {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.boxes[name] == nil {
		d.boxes[name] = &directoryBox{}
	}
	return d.boxes[name]
}

func (d *directory) put(box, name string, message []byte) error {
	if err := d.root.Mkdir(box, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, err := d.store.Create(context.Background(), filepath.Join(d.path, box, name+messageSuffix), message, 0o600)
	if errors.Is(err, atomicfile.ErrNotSynced) {
		return nil // it is there; only a loss of power could take it away
	}
	return err
}

func (d *directory) take(box string, limit int) (messages [][]byte, problems []FileError) {
	b := d.box(box)
	b.mu.Lock()
	defer b.mu.Unlock()
	waiting, err := d.waiting(box)
	if err != nil {
		known := b.told == err.Error()
		if b.told = err.Error(); known {
			return nil, nil
		}
		return nil, []FileError{{Path: filepath.Join(d.path, box), Err: err}}
	}
	b.told = ""
	size := 0
	for _, e := range waiting {
		stem := strings.TrimSuffix(e.Name(), messageSuffix)
		if info, err := e.Info(); err == nil && len(messages) > 0 && size+int(info.Size()) > limit {
			break
		}
		data, problem := d.takeFile(b, box, stem)
		if problem != nil && problem.told {
			problems = append(problems, problem.FileError)
		}
		if problem != nil && !problem.aside {
			break // those behind it may be of the same sender
		}
		if data != nil {
			messages = append(messages, data)
			size += len(data)
		}
	}
	return messages, problems
}

// maxTries is how often a message is tried that cannot be read for a reason that may pass.
const maxTries = 3

// An unread says that a message could not be taken.
type unread struct {
	FileError
	aside bool // the file was set aside, or is where no Take finds it
	told  bool // the receiver learns of it
}

// waiting returns the messages of a mailbox in their order. A directory may change while it
// is listed, so that a list has a message without an earlier one of the same sender. Both
// were there when the list was made, so a second list has both.
func (d *directory) waiting(box string) ([]fs.DirEntry, error) {
	first, err := d.entries(box)
	first = slices.DeleteFunc(first, isNoMessage)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	newest := first[len(first)-1].Name()
	second, err := d.entries(box)
	return slices.DeleteFunc(second, func(e fs.DirEntry) bool { return isNoMessage(e) || e.Name() > newest }), err
}

func isNoMessage(e fs.DirEntry) bool {
	return !strings.HasSuffix(e.Name(), messageSuffix) || strings.HasPrefix(e.Name(), ".")
}

// takeFile takes one message. Both results are nil if somebody has removed it. The caller holds
// the lock of the mailbox.
func (d *directory) takeFile(b *directoryBox, box, stem string) (data []byte, problem *unread) {
	message, taken := box+"/"+stem+messageSuffix, takenName(box, stem)
	from := message
	err := d.root.Rename(message, taken)
	if err != nil && notGone(err) == nil {
		return nil, nil
	}
	if err == nil {
		from = taken
		data, err = d.read(taken)
	}
	if err == nil {
		b.taken = append(b.taken, stem)
		b.late, b.tries = "", 0
		return data, nil
	}
	if b.late != stem {
		b.late, b.tries = stem, 0
	}
	b.tries++
	return nil, d.leave(box, stem, from, b.tries, err)
}

// leave sets a file aside that can never be read, or was tried often enough, and puts any other
// one back.
func (d *directory) leave(box, stem, from string, tries int, why error) *unread {
	u := &unread{told: tries == 1}
	to := box + "/" + stem + messageSuffix
	if isDamage(why) || tries >= maxTries {
		to, u.aside, u.told = box+"/"+stem+corruptSuffix, true, true
	}
	if from != to {
		if err := d.root.Rename(from, to); err != nil {
			u.aside = from != box+"/"+stem+messageSuffix
			u.told, to, why = u.aside || tries == 1, from, errors.Join(why, err)
		}
	}
	u.FileError = FileError{Path: filepath.Join(d.path, to), Err: why}
	return u
}

// errNoMessage says that JSON is no message of the owner of the directory.
var errNoMessage = errors.New("the JSON is no message")

// isDamage reports whether a file that could not be read because of err will never be.
func isDamage(err error) bool {
	return errors.Is(err, ErrNotJSON) || errors.Is(err, errNoMessage) || errors.As(err, new(*atomicfile.SizeError)) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, realpath.ErrNotRegular) || errors.Is(err, realpath.ErrMoved)
}

// read returns the content of a message.
func (d *directory) read(name string) ([]byte, error) {
	snap, err := d.store.Load(context.Background(), filepath.Join(d.path, filepath.FromSlash(name)), MaxMessage)
	switch {
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(snap.Data)) == 0 || !json.Valid(snap.Data):
		return nil, ErrNotJSON
	}
	if d.valid != nil {
		if err := d.valid(snap.Data); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoMessage, err)
		}
	}
	return snap.Data, nil
}

func takenName(box, stem string) string { return box + "/" + stem + messageSuffix + takenSuffix }

func (d *directory) confirm(box string) error {
	return d.release(box, func(stem string) error { return d.root.Remove(takenName(box, stem)) })
}

func (d *directory) giveBack(box string) error {
	return d.release(box, func(stem string) error {
		return d.root.Rename(takenName(box, stem), box+"/"+stem+messageSuffix)
	})
}

// release calls do for each message that was taken from a mailbox.
func (d *directory) release(box string, do func(stem string) error) (err error) {
	b := d.box(box)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, stem := range b.taken {
		err = errors.Join(err, notGone(do(stem)))
	}
	b.taken = nil
	return err
}

func (d *directory) has(box string) bool {
	entries, _ := d.entries(box) // take reports errors
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isNoMessage(e) })
}

func (d *directory) newest() int64 { return d.last }

func (d *directory) close() error {
	var err error
	d.mu.Lock()
	var names []string
	for name := range d.boxes {
		names = append(names, name)
	}
	d.mu.Unlock()
	for _, name := range names {
		err = errors.Join(err, d.giveBack(name))
	}
	return errors.Join(err, d.root.Close())
}
