package lane_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

func BenchmarkUncontended(b *testing.B) {
	benchmarks := []struct {
		name  string
		claim lane.Claim
	}{
		{name: "shared", claim: claim()},
		{name: "exclusive", claim: exclusive()},
		{name: "key", claim: claim(write("src/a.go"))},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			l, ctx := newLane(10), b.Context()
			b.ReportAllocs()
			for b.Loop() {
				ticket := l.Admit()
				ticket.Claim(bb.claim)
				if err := ticket.Wait(ctx); err != nil {
					b.Fatal(err)
				}
				ticket.Done()
			}
		})
	}
	b.Run("slot", func(b *testing.B) {
		ticket, ctx := newLane(10).Admit(), b.Context()
		b.ReportAllocs()
		for b.Loop() {
			if err := ticket.AcquireSlot(ctx); err != nil {
				b.Fatal(err)
			}
			ticket.ReleaseSlot()
		}
	})
}

// BenchmarkLine is the cost per job of deciding alone: all jobs are admitted,
// then all claim, then all end.
func BenchmarkLine(b *testing.B) {
	every := func(n int, c lane.Claim) func(int) lane.Claim {
		return func(i int) lane.Claim {
			if i%n == n/2 {
				return c
			}
			return claim()
		}
	}
	benchmarks := []struct {
		name    string
		claim   func(i int) lane.Claim
		reverse bool
	}{
		{name: "shared", claim: every(1<<30, exclusive())},
		{name: "exclusive", claim: every(1, exclusive())},
		{name: "barriers", claim: every(100, exclusive())},
		{name: "one-key", claim: every(1, claim(write("src/a.go")))},
		{name: "own-keys", claim: func(i int) lane.Claim { return claim(write(fmt.Sprintf("src/%d.go", i))) }},
		{name: "claims-backwards", claim: every(1<<30, exclusive()), reverse: true},
	}
	for _, bb := range benchmarks {
		for _, jobs := range []int{128, 10_000} {
			claims := make([]lane.Claim, jobs)
			for i := range claims {
				claims[i] = bb.claim(i)
			}
			b.Run(fmt.Sprintf("%s/%d", bb.name, jobs), func(b *testing.B) {
				for b.Loop() {
					runLine(claims, bb.reverse)
				}
				perJob := float64(b.Elapsed().Nanoseconds()) / float64(b.N*jobs)
				b.ReportMetric(perJob, "ns/job")
			})
		}
	}
}

func runLine(claims []lane.Claim, reverse bool) {
	l := newLane(1)
	tickets := make([]*lane.Ticket, len(claims))
	for i := range tickets {
		tickets[i] = l.Admit()
	}
	for i := range tickets {
		if reverse {
			i = len(tickets) - 1 - i
		}
		tickets[i].Claim(claims[i])
	}
	for _, ticket := range tickets {
		ticket.Done()
	}
}

// BenchmarkJobs runs 128 shared jobs of a millisecond each, in turns through a
// lane and on plain goroutines, and reports how much longer the lane takes.
func BenchmarkJobs(b *testing.B) {
	const jobs = 128
	pause := func() { time.Sleep(time.Millisecond) }
	for _, limit := range []int{10, jobs} {
		b.Run(fmt.Sprintf("limit-%d", limit), func(b *testing.B) {
			var ours, plain time.Duration
			for b.Loop() {
				started := time.Now()
				runPlain(b.Context(), jobs, limit, pause)
				between := time.Now()
				runLane(b.Context(), jobs, limit, pause)
				plain += between.Sub(started)
				ours += time.Since(between)
			}
			b.ReportMetric(float64(ours)/float64(plain), "times-plain")
			b.ReportMetric(float64(plain.Microseconds())/float64(b.N), "plain-µs/op")
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "lane-µs/op")
		})
	}
}

func runPlain(ctx context.Context, jobs, limit int, run func()) {
	slots := semaphore.NewWeighted(int64(limit))
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			if limit < jobs {
				_ = slots.Acquire(ctx, 1)
				defer slots.Release(1)
			}
			run()
		})
	}
	all.Wait()
}

func runLane(ctx context.Context, jobs, limit int, run func()) {
	l := newLane(limit)
	ends := make([]<-chan error, jobs)
	for i := range ends {
		ticket := l.Admit()
		ends[i] = goroutine.Go(func() {
			defer ticket.Done()
			ticket.Claim(lane.Claim{})
			_ = ticket.Wait(ctx)
			_ = ticket.AcquireSlot(ctx)
			defer ticket.ReleaseSlot()
			run()
		})
	}
	for _, end := range ends {
		<-end
	}
}
