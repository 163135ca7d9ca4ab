// Package s3upload bounds the memory and the remains of uploads from package blobstore to S3. It
// is a package of its own, so that only programs with a bucket of S3 depend on the SDK of AWS.
package s3upload

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
)

const (
	partSize   = 5 << 20          // bytes; the smallest that S3 allows
	removeTime = 10 * time.Second // to remove the parts of an upload that has failed
)

// Bounded returns a func for the BeforeWrite of [blobstore.Options] with a bucket of
// gocloud.dev/blob/s3blob. A result of 5 MiB or more is then sent in parts from its beginning on,
// one at a time while the next one is read; the driver alone reads the first 16 MiB into memory. The parts of an upload that
// fails or is cancelled are removed, which may take up to ten seconds; the driver alone
// does not remove those of a cancelled one.
//
// The options come after these. Checksums are calculated as the client of the bucket is configured; if
// the bucket has a setting of its own, repeat it in an option. For a bucket of another service
// the func changes nothing.
//
// [blobstore.Options]: https://pkg.go.dev/github.com/seed49eaa51d/pegboard/contrib/blobstore#Options
func Bounded(bucket *blob.Bucket, options ...func(*transfermanager.Options)) func(as func(any) bool) error {
	return func(as func(any) bool) error {
		var client *s3.Client
		var driver *transfermanager.Client
		if bucket.As(&client) && as(&driver) {
			*driver = *transfermanager.New(client, append([]func(*transfermanager.Options){func(o *transfermanager.Options) {
				o.PartSizeBytes, o.MultipartUploadThreshold, o.Concurrency = partSize, partSize, 1
				o.FailTimeout = removeTime
				o.RequestChecksumCalculation = client.Options().RequestChecksumCalculation
			}}, options...)...)
		}
		return nil
	}
}
