package blobstore

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// youngest is how old a result is at least that is removed for a limit: another process may be
// about to show its ref.
const youngest = time.Minute

// Sweep removes results older than Retention below Prefix, in all sessions, then the oldest ones
// until the others fit MaxTotal. It does not touch other objects. Several
// processes may sweep at the same time. Ages are those of the bucket's clock against this one's.
func (s *Store) Sweep(ctx context.Context) error {
	list, err := s.list(ctx, s.prefix)
	if err != nil {
		return err
	}
	var problems []error
	if s.options.Retention > 0 {
		list = slices.DeleteFunc(list, func(o *blob.ListObject) bool {
			old := time.Since(o.ModTime) > s.options.Retention
			if old {
				problems = append(problems, s.remove(ctx, o))
			}
			return old
		})
	}
	_, err = s.fit(ctx, list, s.options.MaxTotal)
	return errors.Join(append(problems, err)...)
}

// sweepLater starts a sweep in the background if one is due.
func (s *Store) sweepLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.SweepEvery < 0 || s.closed || time.Since(s.swept) < s.options.SweepEvery {
		return
	}
	s.swept = time.Now()
	s.sweeper.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, sweepTime)
		defer cancel()
		if err := s.Sweep(ctx); err != nil && s.ctx.Err() == nil && s.options.OnError != nil {
			s.options.OnError(err)
		}
	})
}

// count adds a new result of the session, and removes the oldest if they are too many. A result
// that cannot be removed now is tried again at the next result.
func (s *Store) count(ctx context.Context, size int64) {
	if s.options.MaxSession == math.MaxInt64 {
		return
	}
	s.mu.Lock()
	known := s.used >= 0
	if known {
		s.used += size
	}
	fits := known && s.used <= s.options.MaxSession
	s.mu.Unlock()
	if fits {
		return
	}
	used := int64(-1)
	if list, err := s.list(ctx, s.folder); err == nil {
		if used, err = s.fit(ctx, list, s.options.MaxSession); err != nil {
			used = -1
		}
	}
	s.mu.Lock()
	s.used = used
	s.mu.Unlock()
}

// fit removes the oldest results until the others have at most limit bytes, and returns how many
// they have.
func (s *Store) fit(ctx context.Context, list []*blob.ListObject, limit int64) (used int64, err error) {
	for _, o := range list {
		used += o.Size
	}
	slices.SortFunc(list, func(a, b *blob.ListObject) int { return a.ModTime.Compare(b.ModTime) })
	for _, o := range list {
		if used <= limit || time.Since(o.ModTime) < youngest {
			break
		}
		if problem := s.remove(ctx, o); problem != nil {
			err = errors.Join(err, problem)
			continue
		}
		used -= o.Size
	}
	return used, err
}

// relists is how often a listing is begun anew.
const relists = 10

// list returns the results of this package below a prefix. Some drivers end a listing with an
// error if another process removes an object meanwhile.
func (s *Store) list(ctx context.Context, prefix string) (list []*blob.ListObject, err error) {
	for range relists {
		list, err = s.listOnce(ctx, prefix)
		if gcerrors.Code(err) != gcerrors.NotFound {
			break
		}
	}
	return list, err
}

func (s *Store) listOnce(ctx context.Context, prefix string) ([]*blob.ListObject, error) {
	var list []*blob.ListObject
	all := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		folder, ref, ok := strings.Cut(strings.TrimPrefix(o.Key, s.prefix), "/")
		if ok && folderForm.MatchString(folder) && refForm.MatchString(ref) {
			list = append(list, o)
		}
	}
}

// remove removes a result, unless another process has.
func (s *Store) remove(ctx context.Context, o *blob.ListObject) error {
	err := s.bucket.Delete(ctx, o.Key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}
