// Package effort tells tests how much work to do.
//
// A test that tries many generated inputs, plays many random sequences or compares
// many cases with another program states how many it tries at full effort. [Of] and
// [Sample] return the part of them that this run tries, as the environment variable
// PEGBOARD_EFFORT says. The package is for tests alone; no shipped code imports it.
package effort

import (
	"os"
	"strconv"
	"testing"
)

// Variable names the environment variable that holds the effort in percent, a whole
// number from 1 to 100000. 100 is full effort; unset or empty means 10.
const Variable = "PEGBOARD_EFFORT"

const (
	full         = 100
	defaultValue = 10
	maxValue     = 100_000
)

// Of returns the share of n that this run tries: n × effort / 100, rounded up, so
// that a positive n gives at least 1. More than 100 percent gives more than n. A
// variable without a valid value fails the test.
func Of[N int | uint64](tb testing.TB, n N) N {
	tb.Helper()
	return N((uint64(n)*percent(tb) + full - 1) / full)
}

// Full reports whether this run has full effort or more. Only then can a test expect
// that its inputs reach every case they are there for.
func Full(tb testing.TB) bool {
	tb.Helper()
	return percent(tb) >= full
}

// Sample returns the share of the cases that this run tries: as many as [Of] says,
// but at most all of them, in their order and spread evenly. The same effort gives
// the same cases.
func Sample[T any](tb testing.TB, cases []T) []T {
	tb.Helper()
	n := Of(tb, len(cases))
	if n >= len(cases) {
		return cases
	}
	sample := make([]T, n)
	for i := range sample {
		sample[i] = cases[i*len(cases)/n]
	}
	return sample
}

func percent(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv(Variable)
	if text == "" {
		return defaultValue
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > maxValue {
		tb.Fatalf("%s=%q: want a whole number of percent from 1 to %d", Variable, text, maxValue)
	}
	return uint64(value)
}
