// Package blobstore keeps the long results of calls in a bucket: a [pegboard.ResultStore] on
// gocloud.dev/blob, for hosts whose conversations move between machines.
//
//	import _ "gocloud.dev/blob/s3blob" // the driver of the bucket's URL
//
//	store, err := blobstore.Open(ctx, "s3://results?region=eu-central-1", session, blobstore.Options{})
//	...
//	defer store.Close()
//	pegboard.SessionConfig{Results: store}
//
// It is a module of its own, so that only programs that want it depend on gocloud.dev. The
// program imports the driver that it needs: fileblob, memblob, s3blob, gcsblob or azureblob.
//
// # Keys
//
// A result is stored below PREFIX/SESSION under a name that is made of the id of its call and of
// a digest of that id and the bytes, and which is its Ref. The same bytes of the same call have
// the same key in every process, and a key is written once. Nothing else of the input is in a key.
//
// # Memory and disk
//
// The name of a result depends on all its bytes, so they are received before they are sent: up to
// Options.Memory bytes in memory, longer ones in a temporary file that is removed at once where the
// system permits it, such as on Linux, and afterwards elsewhere. A
// long result is sent in parts of 5 MiB, two at a time. Buffers of the driver itself come on top.
//
// The driver of S3 buffers the first 16 MiB of a result, twice, and leaves the parts of a Put that
// was cancelled in the bucket. With the hook of package s3upload it does neither:
//
//	bucket, err := blob.OpenBucket(ctx, "s3://results?region=eu-central-1")
//	store := blobstore.New(bucket, session, blobstore.Options{BeforeWrite: s3upload.Bounded(bucket)})
//
// Readers implement [io.Seeker]: package tools/results fetches the page that it shows, and
// not the bytes before it.
//
// # Limits
//
// Limits are applied by listing the bucket, by every process for itself, so that several may
// exceed a limit for a while. A limit removes the oldest results, and none that is
// younger than a minute. A bucket that expires objects by rules of its own works, too.
//
// A process that is killed while it sends a long result leaves an unfinished upload, which no
// listing shows and no sweep removes. It is paid for until the bucket ends it: give a bucket of
// S3 a lifecycle rule with AbortIncompleteMultipartUpload, of one day. The result itself is not
// there, and the same call with the same bytes stores it.
package blobstore
