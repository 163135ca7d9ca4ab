package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/policy"
)

// Save writes updates to the files of their destinations. It is made for
// [pegboard.SessionConfig].OnRemember. Updates for other destinations, such as the session,
// are ignored; an update for the policy, or for a source without a file, is an error.
//
// A rule or directory that is there already is not added again; existing ones keep their
// order, and new ones are added after them. A mode is the one that sessions start in:
// ModeBypass is never written, ModeAuto only to the user's file. If nothing changes, no file
// is written or created. A path rule that begins with one slash is taken as it is meant in the
// session, and written so that it means the same to a program that loads the file.
//
// All updates are checked before the first file is written. All updates of one file appear in
// it at once; the files are written one after the other, and an error does not undo the files
// before. A new file is readable by its owner alone, except that of a project, which is meant
// to be shared. If the file is a link, its target is written, unless that is the file of
// another source, or the project is not trusted.
//
// Processes and goroutines that save at the same time wait for each other and lose no update:
// where the system has advisory locks for directories, they hold that of the directory. A
// change by another program is detected until the last moment, and the updates are then made
// again in the changed file.
//
// A corrupt file is copied to PATH.corrupt-TIME-RANDOM beside it before a new one replaces it,
// so that its bytes are always in one of the two. That is only done if the file is not a link.
// Any other file that cannot be read or edited is an error and is not written: a file of more
// than 4 MiB, a directory, ErrComments, a list of permissions that is not a list.
func (f Files) Save(ctx context.Context, updates []policy.Update) error {
	editors, err := f.editors(updates)
	if err != nil {
		return err
	}
	return f.saveAll(ctx, editors)
}

// saveAll applies the editors to their files. All are tried before the first file is written.
func (f Files) saveAll(ctx context.Context, editors []*editor) error {
	var targets []*target
	for _, e := range editors {
		t, err := newTarget(e)
		if err != nil {
			return err
		}
		if err := f.checkLink(t); err != nil {
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
	var errs []error
	for _, t := range targets {
		aside, err := t.update(ctx)
		if aside != nil && f.OnSetAside != nil {
			f.OnSetAside(aside)
		} else if aside != nil {
			errs = append(errs, aside)
		}
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return errors.Join(errs...)
}

// editors checks the updates and returns an editor for each source.
func (f Files) editors(updates []policy.Update) ([]*editor, error) {
	if _, err := (policy.Permissions{}).WithAvailable(policy.ModeAuto).Apply(updates...); err != nil { // the session has offered the mode
		return nil, err
	}
	for _, u := range updates {
		for _, dir := range u.Directories {
			if dir == "" || !utf8.ValidString(dir) || strings.ContainsRune(dir, 0) {
				return nil, fmt.Errorf("update %s: %q is no directory", u.Type, dir)
			}
		}
		if hasFile(u.Destination) && f.path(u.Destination) == "" {
			return nil, fmt.Errorf("update %s: there is no file for %s", u.Type, u.Destination)
		}
	}
	var all []*editor
	for _, source := range sources() {
		its := slices.DeleteFunc(slices.Clone(updates), func(u policy.Update) bool { return u.Destination != source })
		if len(its) == 0 {
			continue
		}
		a, err := f.anchors(source)
		if err != nil {
			return nil, err
		}
		all = append(all, &editor{path: f.path(source), source: source, anchors: a, updates: its, saves: f.saves})
	}
	return all, nil
}

// checkLink returns an error if the file is a link to the file of another source, since rules
// for one project would then apply to all, or if a project that is not trusted may have brought
// the link along, since it may lead to the file of another project.
func (f Files) checkLink(t *target) error {
	if t.linked && !f.Trusted && t.source != policy.SourceUser {
		return fmt.Errorf("%s, or its directory, is a link, so that it is not written until the project is trusted", t.path)
	}
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

// wouldChange reports whether the updates change the file as it is now. A corrupt file is
// always changed.
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
