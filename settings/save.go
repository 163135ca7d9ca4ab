package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// Save makes updates in the files of their destinations. It is made for
// SessionConfig.OnRemember. Updates for other destinations, such as the session, are
// passed over; one for the policy is an error, and so is one for a file that there
// is none of.
//
// A rule or directory that is there already is not added again; what there is keeps
// its order, and what is new comes after it. A mode is what sessions start in:
// ModeBypass is never written, ModeAuto only to the user's file. Where nothing
// changes, no file is written or made. A path rule that begins with one slash is
// taken as it holds in the session, and written so that it means the same to
// whoever loads the file.
//
// All updates are checked before the first file is touched. All those for one file
// appear in it at once; the files are written one after the other, and an error
// says nothing about those before. A new file is readable by its owner alone, but
// that of a project, which is meant to be shared. A link is followed to the file
// that it leads to, unless that is the file of another source.
//
// Processes and goroutines that save at the same time wait for each other and lose
// nothing: where the system knows advisory locks, they hold that of the directory.
// Another program that writes the file is noticed up to the last moment, and the
// updates are then made in what it wrote.
//
// A corrupt file is copied to PATH.corrupt-TIME-RANDOM beside it before a new one
// takes its place, so that its bytes are always in one of the two. That is only
// done where the file stands itself: what a link leads to is left alone. Whatever
// else cannot be read or edited is an error, and nothing is written: a file of more
// than 4 MiB, a directory, ErrComments, a list of permissions that is no list.
func (f Files) Save(ctx context.Context, updates []pegboard.PermissionUpdate) error {
	editors, err := f.editors(updates)
	if err != nil {
		return err
	}
	var targets []*target
	for _, e := range editors {
		t, err := newTarget(e)
		if err != nil {
			return err
		}
		if err := f.alone(t); err != nil {
			return err
		}
		changes, err := t.wouldChange(ctx)
		if err != nil {
			return err
		}
		if changes {
			targets = append(targets, t)
		}
	}
	var told []error
	for _, t := range targets {
		aside, err := t.update(ctx)
		if aside != nil && f.OnSetAside != nil {
			f.OnSetAside(aside)
		} else if aside != nil {
			told = append(told, aside)
		}
		if err != nil {
			return errors.Join(append(told, err)...)
		}
	}
	return errors.Join(told...)
}

// editors checks the updates and parts them by source.
func (f Files) editors(updates []pegboard.PermissionUpdate) ([]*editor, error) {
	if _, err := (pegboard.Permissions{}).Apply(updates...); err != nil {
		return nil, err
	}
	for _, u := range updates {
		for _, dir := range u.Directories {
			if dir == "" || !utf8.ValidString(dir) || strings.ContainsRune(dir, 0) {
				return nil, fmt.Errorf("update %s: %q is no directory", u.Type, dir)
			}
		}
		if isOurs(u.Destination) && f.path(u.Destination) == "" {
			return nil, fmt.Errorf("update %s: there is no file for %s", u.Type, u.Destination)
		}
	}
	var all []*editor
	for _, source := range sources() {
		its := slices.DeleteFunc(slices.Clone(updates), func(u pegboard.PermissionUpdate) bool { return u.Destination != source })
		if len(its) == 0 {
			continue
		}
		a, err := f.anchors(source)
		if err != nil {
			return nil, err
		}
		all = append(all, &editor{path: f.path(source), source: source, anchors: a, updates: its})
	}
	return all, nil
}

// alone refuses to write to the file of another source, to which a link may lead:
// what was meant for one project would hold in all.
func (f Files) alone(t *target) error {
	for _, source := range sources() {
		other := f.path(source)
		if source == t.source || other == "" {
			continue
		}
		if real, err := resolve(other); err == nil && real == t.real {
			return fmt.Errorf("%s leads to %s, the file of %s", t.path, other, source)
		}
	}
	return nil
}

// wouldChange reports whether the updates change the file as it is now. A corrupt
// file is to be changed.
func (t *target) wouldChange(ctx context.Context) (bool, error) {
	before, err := t.load(ctx)
	if err != nil {
		return false, err
	}
	after, err := t.edit(before)
	var corrupt *CorruptError
	if errors.As(err, &corrupt) && !t.linked {
		return true, nil
	}
	return !bytes.Equal(before, after), err
}
