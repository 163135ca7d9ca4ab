package s3upload_test

import (
	"context"
	"fmt"
	"strings"

	"gocloud.dev/blob/memblob"

	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
	"github.com/seed49eaa51d/pegboard/contrib/blobstore/s3upload"
)

// A program opens its bucket with blob.OpenBucket(ctx, "s3://results?region=eu-central-1").
func ExampleBounded() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{BeforeWrite: s3upload.Bounded(bucket)})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("a long result"))
	fmt.Println(stored.Size, err)
	// Output: 13 <nil>
}
