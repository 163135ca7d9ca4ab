package blobstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"gocloud.dev/blob/memblob"

	"github.com/seed49eaa51d/pegboard/contrib/blobstore"
)

// Two processes that work for one session, each with a store of its own, agree on names.
func Example() {
	ctx := context.Background()
	bucket := memblob.OpenBucket(nil) // a program opens the URL of its bucket with Open
	defer bucket.Close()
	one := blobstore.New(bucket, "conversation", blobstore.Options{})
	defer one.Close()
	stored, err := one.Put(ctx, "call_1", "text/plain", strings.NewReader("a long result"))
	if err != nil {
		log.Fatal(err)
	}
	other := blobstore.New(bucket, "conversation", blobstore.Options{})
	defer other.Close()
	again, err := other.Put(ctx, "call_1", "text/plain", strings.NewReader("a long result"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := other.Open(ctx, stored.Ref)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again == stored, string(text))
	// Output: true a long result
}

// The driver of a URL must be imported by the program.
func ExampleOpen() {
	_, err := blobstore.Open(context.Background(), "unknown://bucket", "conversation", blobstore.Options{})
	fmt.Println(err != nil)
	// Output: true
}

func ExampleNew() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{Prefix: "results", MaxFile: 10})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("more than ten bytes"))
	fmt.Println(stored.Size, err)
	// Output: 10 <nil>
}

func ExampleStore_Put() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("a result"))
	fmt.Println(stored.Ref[:7], stored.Size, err)
	// Output: call-1. 8 <nil>
}

// The reader can seek: what is skipped is not fetched.
func ExampleStore_Open() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("a result"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := store.Open(context.Background(), stored.Ref)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	if _, err := r.(io.Seeker).Seek(2, io.SeekStart); err != nil {
		log.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	fmt.Println(string(rest), err)
	// Output: result <nil>
}

// A bucket in memory has no addresses; those of S3, Google and Azure have.
func ExampleStore_URL() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("a result"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = store.URL(context.Background(), stored.Ref, time.Minute)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output: true
}

// A host may sweep when it likes, beside the sweeps that Put starts.
func ExampleStore_Sweep() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{Retention: time.Nanosecond, SweepEvery: -1})
	defer store.Close()
	stored, err := store.Put(context.Background(), "call_1", "text/plain", strings.NewReader("a result"))
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Sweep(context.Background()); err != nil {
		log.Fatal(err)
	}
	_, err = store.Open(context.Background(), stored.Ref)
	fmt.Println(err != nil)
	// Output: true
}

func ExampleStore_Close() {
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	store := blobstore.New(bucket, "conversation", blobstore.Options{})
	fmt.Println(store.Close()) // a sweep in the background has ended
	// Output: <nil>
}
