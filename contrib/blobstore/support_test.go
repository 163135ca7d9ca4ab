package blobstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"

	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// childVariable makes this program print the sample of a store at its URL.
const childVariable = "PEGBOARD_BLOBSTORE_CHILD"

func TestMain(m *testing.M) {
	if bucket := os.Getenv(childVariable); bucket != "" {
		if err := printSample(bucket); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func printSample(bucket string) error {
	store, err := blobstore.Open(context.Background(), bucket, "conversation", blobstore.Options{})
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the sample is printed
	sample, err := tooltest.StoreSample(store)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(sample)
}

// folderURL returns the URL of a bucket in a folder. Temporary files of the driver are in it,
// since a folder of temporary files may be on another device.
func folderURL(dir string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(dir), RawQuery: "create_dir=1&no_tmp_dir=1"}
	return u.String()
}

// folder returns a bucket in a folder.
func folder(t *testing.T) *blob.Bucket {
	t.Helper()
	b, err := blob.OpenBucket(t.Context(), folderURL(t.TempDir()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// A service is an S3 server in this process, with faults.
type service struct {
	*httptest.Server

	bucket *blob.Bucket
	puts   atomic.Int64                                                  // requests that send something
	fault  atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // answers instead of the server if it returns true
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("results"))
	server := gofakes3.New(backend).Server()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			s.puts.Add(1)
		}
		if f := s.fault.Load(); f != nil && (*f)(w, r) {
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	client := s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		BaseEndpoint: aws.String(s.URL), UsePathStyle: true, RetryMaxAttempts: 1, // so that the retries are those of the store
	})
	var err error
	s.bucket, err = s3blob.OpenBucket(t.Context(), client, "results", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.bucket.Close()) })
	return s
}

// fail has requests answered by f.
func (s *service) fail(f func(http.ResponseWriter, *http.Request) bool) { s.fault.Store(&f) }

// keys returns the keys in a bucket.
func keys(t *testing.T, b *blob.Bucket) []string {
	t.Helper()
	var all []string
	list := b.List(nil)
	for {
		o, err := list.Next(t.Context())
		switch {
		case errors.Is(err, io.EOF):
			return all
		case gcerrors.Code(err) == gcerrors.NotFound: // a sweep has removed one of them
			all, list = nil, b.List(nil)
		default:
			require.NoError(t, err)
			all = append(all, o.Key)
		}
	}
}

// text returns a stored result.
func text(t *testing.T, s *blobstore.Store, ref string) string {
	t.Helper()
	r, err := s.Open(t.Context(), ref)
	require.NoError(t, err)
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(all)
}
