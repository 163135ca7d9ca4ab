package blobstore

import (
	"cmp"
	"math"
	"time"
)

// The defaults of [Options], those of [pegboard.DirOptions].
const (
	DefaultMaxFile    = 64 << 20
	DefaultMaxSession = 1 << 30
	DefaultMaxTotal   = 4 << 30
	DefaultRetention  = 30 * 24 * time.Hour
	DefaultSweepEvery = time.Hour
	DefaultMemory     = 1 << 20
)

// Options change a [Store]. The zero value works. Sizes are in bytes. Every process applies its
// own.
type Options struct {
	Prefix     string        // of all keys, such as "results"; empty means that they begin with the session
	MaxFile    int64         // of one result, the rest is cut; 0 means DefaultMaxFile, a negative number no limit
	MaxSession int64         // of all results of the session; 0 means DefaultMaxSession, negative no limit
	MaxTotal   int64         // of all sessions below Prefix; 0 means DefaultMaxTotal, negative no limit
	Retention  time.Duration // how long a result is kept; 0 means DefaultRetention, negative for ever
	SweepEvery time.Duration // how often Put starts a sweep in the background; 0 means DefaultSweepEvery, negative never
	Memory     int64         // of a result that is received without a temporary file; 0 means DefaultMemory
	Temp       string        // folder for temporary files; empty means that of os.TempDir
	// BeforeWrite is called before a result is sent, with a func that gives access to the
	// driver's own types, see blob.WriterOptions. Its error is that of Put. On S3, set it to
	// s3upload.Bounded. Nil leaves the driver as it is. It must be safe for concurrent use.
	BeforeWrite func(as func(any) bool) error
	// OnError is called with the error of a sweep in the background, on its goroutine. Nil
	// drops it: the next sweep tries again.
	OnError func(error)
}

// withDefaults returns o with the defaults in the place of zeros.
func (o Options) withDefaults() Options {
	size := func(n, standard int64) int64 {
		if n < 0 {
			return math.MaxInt64
		}
		return cmp.Or(n, standard)
	}
	o.MaxFile, o.MaxSession, o.MaxTotal = size(o.MaxFile, DefaultMaxFile), size(o.MaxSession, DefaultMaxSession), size(o.MaxTotal, DefaultMaxTotal)
	o.Retention, o.SweepEvery = cmp.Or(o.Retention, DefaultRetention), cmp.Or(o.SweepEvery, DefaultSweepEvery)
	o.Memory = max(cmp.Or(o.Memory, DefaultMemory), 0)
	return o
}

// kept is how many bytes of one result may be kept.
func (o Options) kept() int64 { return min(o.MaxFile, o.MaxSession, o.MaxTotal) }
