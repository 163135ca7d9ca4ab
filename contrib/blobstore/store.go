package blobstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

const (
	partSize    = 5 << 20 // bytes; the smallest that S3 allows
	parallel    = 2       // parts that are sent at once
	attempts    = 3       // to send a result
	firstPause  = 200 * time.Millisecond
	sweepTime   = 10 * time.Minute // for a sweep in the background
	touchBefore = 2                // a result older than Retention divided by this is written anew if it comes again
)

// A Store keeps the results of one session in a bucket. Its methods may be called concurrently,
// and several stores of several processes may be used for one session.
type Store struct {
	bucket  *blob.Bucket
	owned   bool // the bucket is closed with the store
	options Options
	prefix  string // of all sessions; empty or with a slash at its end
	folder  string // of the session, with a slash at its end

	mu     sync.Mutex
	used   int64 // bytes of the session, as far as it is known; negative before it was listed
	swept  time.Time
	closed bool

	ctx     context.Context //nolint:containedctx // of sweeps in the background; ends with Close
	cancel  context.CancelFunc
	sweeper sync.WaitGroup
}

// Open opens the bucket at a URL of gocloud.dev, such as "s3://results?region=eu-central-1" or
// "file:///var/results?create_dir=1&no_tmp_dir=1", and returns a store in it for a session, which may be any
// text. The program must import the driver of the URL's scheme. ctx is for opening only.
func Open(ctx context.Context, url, session string, o Options) (*Store, error) {
	bucket, err := blob.OpenBucket(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("bucket for results: %w", err)
	}
	s := New(bucket, session, o)
	s.owned = true
	return s, nil
}

// New returns a store in a bucket, which the caller closes after the store.
func New(bucket *blob.Bucket, session string, o Options) *Store {
	s := &Store{bucket: bucket, options: o.withDefaults(), used: -1}
	if p := strings.Trim(o.Prefix, "/"); p != "" {
		s.prefix = p + "/"
	}
	s.folder = s.prefix + folderOf(session) + "/"
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Put implements [pegboard.ResultStore]. It reads r to its end, also beyond MaxFile. The Path of
// the result is empty. A service that fails for a moment is asked three times.
func (s *Store) Put(ctx context.Context, callID, mimeType string, r io.Reader) (pegboard.StoredResult, error) {
	in, err := receive(ctx, callID, r, s.options)
	if err != nil {
		return pegboard.StoredResult{}, err
	}
	defer in.close()
	ref := refOf(callID, mimeType, in.digest)
	stored, err := s.write(ctx, s.folder+ref, mimeType, in)
	if err != nil {
		return pegboard.StoredResult{}, fmt.Errorf("the result could not be stored: %w", err)
	}
	if stored {
		s.count(ctx, in.size())
	}
	s.sweepLater()
	return pegboard.StoredResult{Ref: ref, Size: in.kept}, nil
}

// write stores a result, and reports whether it was not there. One that would soon be removed
// for its age is written anew.
func (s *Store) write(ctx context.Context, key, mimeType string, in *received) (stored bool, err error) {
	if in.size() > s.options.Memory { // sending it only to learn that it is there costs more than to ask
		if known, err := s.refresh(ctx, key, mimeType, in); known || err != nil {
			return false, err
		}
	}
	err = s.retry(ctx, func() error { return s.send(ctx, key, mimeType, in, true) })
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		_, err = s.refresh(ctx, key, mimeType, in)
		return false, err
	}
	return err == nil, err
}

// refresh reports whether a result is there, and writes one anew whose age has come close to
// Retention.
func (s *Store) refresh(ctx context.Context, key, mimeType string, in *received) (known bool, err error) {
	var a *blob.Attributes
	err = s.retry(ctx, func() error { a, err = s.bucket.Attributes(ctx, key); return err })
	if gcerrors.Code(err) == gcerrors.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if s.options.Retention > 0 && time.Since(a.ModTime) > s.options.Retention/touchBefore {
		return true, s.retry(ctx, func() error { return s.send(ctx, key, mimeType, in, false) })
	}
	return true, nil
}

// send sends a result once. A result that was not sent whole is not stored.
func (s *Store) send(ctx context.Context, key, mimeType string, in *received, ifNotExist bool) error {
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.bucket.NewWriter(sending, key, &blob.WriterOptions{
		BufferSize: partSize, MaxConcurrency: parallel, ContentType: contentType(mimeType), DisableContentTypeDetection: true,
		IfNotExist: ifNotExist, BeforeWrite: s.options.BeforeWrite,
	})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, in.content()); err != nil {
		cancel() // so that Close does not complete it
		_ = w.Close()
		return err
	}
	return w.Close()
}

// retry calls f until it succeeds, fails for good, or has failed three times.
func (s *Store) retry(ctx context.Context, f func() error) error {
	for pause, n := firstPause, 1; ; pause, n = 2*pause, n+1 {
		err := f()
		if err == nil || n == attempts || ctx.Err() != nil || !isPassing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// isPassing reports whether the same request may succeed later.
func isPassing(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.Unknown, gcerrors.Internal, gcerrors.ResourceExhausted, gcerrors.DeadlineExceeded:
		return true
	}
	return false
}

// Open implements [pegboard.ResultStore]. The reader implements [io.Seeker]: skipped bytes are
// not fetched. It reads until ctx ends.
func (s *Store) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	if !refForm.MatchString(ref) {
		return nil, fmt.Errorf("result %q: %w", ref, fs.ErrNotExist)
	}
	var r *blob.Reader
	err := s.retry(ctx, func() (err error) { r, err = s.bucket.NewReader(ctx, s.folder+ref, nil); return err })
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("result %q: %w", ref, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("result %q: %w", ref, err)
	}
	return r, nil
}

// URL returns an address at which anyone who has it can read a result by GET until it expires:
// for the user interface of the host, not for a model. The error wraps [errors.ErrUnsupported]
// if the bucket has no such addresses. It does not say whether the result is there.
func (s *Store) URL(ctx context.Context, ref string, expiry time.Duration) (string, error) {
	if !refForm.MatchString(ref) {
		return "", fmt.Errorf("result %q: %w", ref, fs.ErrNotExist)
	}
	url, err := s.bucket.SignedURL(ctx, s.folder+ref, &blob.SignedURLOptions{Expiry: expiry})
	if gcerrors.Code(err) == gcerrors.Unimplemented {
		return "", fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return url, err
}

// Close ends a sweep in the background. It closes the bucket if Open has opened it. The results
// stay.
func (s *Store) Close() error {
	s.mu.Lock()
	wasClosed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.sweeper.Wait()
	if s.owned && !wasClosed {
		return s.bucket.Close()
	}
	return nil
}

// contentType returns a MIME type as a service accepts it.
func contentType(mimeType string) string {
	kind, _, _ := strings.Cut(mimeType, ";")
	if ok, err := path.Match("?*/?*", kind); !ok || err != nil || strings.ContainsFunc(mimeType, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "application/octet-stream"
	}
	return mimeType
}

const (
	maxSlug      = 40 // characters of an id in a name
	maxExtension = 10
)

// refForm is the form of all refs, and folderForm that of the folders of sessions. Names
// of other forms were not made by this package.
var (
	refForm    = regexp.MustCompile(`^[a-z0-9-]{1,40}\.[0-9a-f]{32}\.[a-z0-9]{1,10}$`)
	folderForm = regexp.MustCompile(`^[a-z0-9-]{1,40}\.[0-9a-f]{32}$`)
)

// refOf returns the ref of a result, given the digest of its call and its bytes.
func refOf(callID, mimeType string, digest []byte) string {
	extension := media.Extension(mimeType)
	if len(extension) > maxExtension || strings.Trim(extension, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		extension = "bin"
	}
	return slug(callID) + "." + hex.EncodeToString(digest[:16]) + "." + extension
}

// folderOf returns the folder of a session. Sessions whose ids differ only in the case of
// letters have different ones.
func folderOf(session string) string {
	digest := sha256.Sum256([]byte(session))
	return slug(session) + "." + hex.EncodeToString(digest[:16])
}

// slug returns an id with a hyphen for each character that some bucket does not allow in a
// key. It makes keys readable.
func slug(id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		if b.Len() == maxSlug {
			break
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}
