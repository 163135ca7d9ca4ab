package schedule

import "time"

// Options are the choices of a host. The zero value is ready to use.
type Options struct {
	// Location is where expressions are read; nil means [time.Local].
	Location *time.Location
	// MaxJobs is how many jobs the conversation may have, wake-ups not counted; 0 means
	// [DefaultMaxJobs].
	MaxJobs int
	// Exact makes jobs fire at the minute that their expression names. By default the id moves
	// them a little.
	Exact bool
	// Now is the clock; nil means [time.Now]. It may be called concurrently, and must not use the
	// Schedule.
	Now func() time.Time
}

func (o *Options) location() *time.Location {
	if o.Location == nil {
		return time.Local
	}
	return o.Location
}

func (o *Options) maxJobs() int {
	if o.MaxJobs > 0 {
		return o.MaxJobs
	}
	return DefaultMaxJobs
}

// now returns the time of the clock, without a monotonic part.
func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now().Round(0)
	}
	return time.Now().Round(0)
}
