package s3upload_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore/s3upload"
)

// A service is an S3 server in this process, which notes the requests that change something.
type service struct {
	bucket *blob.Bucket
	client *s3.Client
	onPart func(number string) // nil: nothing

	mu       sync.Mutex
	requests []string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("results"))
	server := gofakes3.New(backend).Server()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := r.URL.Query().Get("partNumber")
		if part != "" && s.onPart != nil {
			s.onPart(part)
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.mu.Lock()
			s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+part))
			s.mu.Unlock()
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	s.client = s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		BaseEndpoint: aws.String(at.URL), UsePathStyle: true, RetryMaxAttempts: 1,
	})
	var err error
	s.bucket, err = s3blob.OpenBucket(t.Context(), s.client, "results", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.bucket.Close()) })
	return s
}

func (s *service) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// TestBoundedSendsPartsFromTheBeginning: the driver alone has a result of 6 MiB in memory whole.
func TestBoundedSendsPartsFromTheBeginning(t *testing.T) {
	t.Parallel()
	large := func(o *transfermanager.Options) { o.MultipartUploadThreshold = 16 << 20 }
	for _, c := range []struct {
		name  string
		hook  func(b *blob.Bucket) func(func(any) bool) error
		parts bool
	}{
		{name: "the driver alone", hook: func(*blob.Bucket) func(func(any) bool) error { return nil }},
		{name: "bounded", hook: func(b *blob.Bucket) func(func(any) bool) error { return s3upload.Bounded(b) }, parts: true},
		{name: "an option changes it", hook: func(b *blob.Bucket) func(func(any) bool) error { return s3upload.Bounded(b, large) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			store := blobstore.New(s.bucket, "s", blobstore.Options{SweepEvery: -1, BeforeWrite: c.hook(s.bucket)})
			_, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader(strings.Repeat("x", 6<<20)))
			require.NoError(t, err)
			want := []string{"PUT"}
			if c.parts {
				want = []string{"POST", "PUT 1", "PUT 2", "POST"}
			}
			require.ElementsMatch(t, want, s.seen())
		})
	}
}

// TestCancelledPutLeavesNoParts ends the context in the midst of a result.
func TestCancelledPutLeavesNoParts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.onPart = func(number string) {
		if number == "3" {
			cancel(pegboard.ErrUserInterrupt)
		}
	}
	store := blobstore.New(s.bucket, "s", blobstore.Options{SweepEvery: -1, BeforeWrite: s3upload.Bounded(s.bucket)})
	_, err := store.Put(ctx, "call", "text/plain", strings.NewReader(strings.Repeat("x", 40<<20)))
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, s.seen(), "DELETE", "the upload is removed")
	left, err := s.client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: aws.String("results")})
	require.NoError(t, err)
	require.Empty(t, left.Uploads)
}

// TestOtherBucket: the func changes nothing.
func TestOtherBucket(t *testing.T) {
	t.Parallel()
	b := memblob.OpenBucket(nil)
	defer func() { require.NoError(t, b.Close()) }()
	store := blobstore.New(b, "s", blobstore.Options{SweepEvery: -1, BeforeWrite: s3upload.Bounded(b)})
	stored, err := store.Put(t.Context(), "call", "text/plain", strings.NewReader("text"))
	require.NoError(t, err)
	require.Equal(t, int64(4), stored.Size)
}
