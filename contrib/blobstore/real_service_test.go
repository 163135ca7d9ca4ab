package blobstore_test

import (
	"io"
	"net/url"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore/s3upload"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// realBucket returns the bucket "results" of the server that PEGBOARD_S3 names, with the keys
// in the place of user and password.
func realBucket(t *testing.T) *blob.Bucket {
	t.Helper()
	at := os.Getenv("PEGBOARD_S3")
	if at == "" {
		t.Skip("PEGBOARD_S3 is unset: contrib/blobstore/s3.sh starts an S3 server and sets it")
	}
	u, err := url.Parse(at)
	require.NoError(t, err)
	secret, _ := u.User.Password()
	client := s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(u.User.Username(), secret, ""),
		BaseEndpoint: aws.String(u.Scheme + "://" + u.Host), UsePathStyle: true,
	})
	b, err := s3blob.OpenBucket(t.Context(), client, "results", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func TestRealServiceKeepsTheContract(t *testing.T) {
	t.Parallel()
	b := realBucket(t)
	for session, hook := range map[string]func(func(any) bool) error{"driver alone": nil, "bounded": s3upload.Bounded(b)} {
		require.NoError(t, tooltest.StoreChecker{Large: int64(effort.Of(t, 64)) << 20}.Check(func() (pegboard.ResultStore, error) {
			return blobstore.New(b, session, blobstore.Options{BeforeWrite: hook}), nil
		}))
	}
}

// TestRealServiceMemory puts a gigabyte at full effort.
func TestRealServiceMemory(t *testing.T) { //nolint:paralleltest // it measures the heap of the process
	b := realBucket(t)
	requireFlat(t, blobstore.New(b, "memory", blobstore.Options{
		MaxFile: -1, MaxSession: -1, MaxTotal: -1, SweepEvery: -1, BeforeWrite: s3upload.Bounded(b),
	}))
}

func TestRealServiceSweeps(t *testing.T) {
	t.Parallel()
	store := blobstore.New(realBucket(t), "sweep", blobstore.Options{Prefix: "sweep", Retention: 1, SweepEvery: -1})
	stored, err := store.Put(t.Context(), "call", "text/plain", io.LimitReader(endless{}, 1000))
	require.NoError(t, err)
	require.NoError(t, store.Sweep(t.Context()))
	_, err = store.Open(t.Context(), stored.Ref)
	require.ErrorIs(t, err, os.ErrNotExist)
}
