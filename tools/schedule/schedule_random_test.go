package schedule_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

// A span is a time in which the host was idle and waited.
type span struct{ from, to time.Time }

// TestRandomConversations: random jobs in conversations whose host is idle at random times. Each fire
// is the first time of its job after the one before, at the first idle moment from then on.
func TestRandomConversations(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, 40) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			zone := []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe"}[r.IntN(3)]
			loc, err := time.LoadLocation(zone)
			require.NoError(t, err)
			time.Sleep(time.Duration(r.IntN(300*24)) * time.Hour) // the clock of the zone may change
			c := newConversation(t, "", schedule.Options{Exact: true, Location: loc})
			jobs := map[string]schedule.Job{}
			for len(jobs) < 8 {
				out := c.run(c.session, "CronCreate", object{"cron": randomExpression(r), "prompt": "look", "recurring": r.IntN(3) > 0})
				if out.Err != nil {
					continue // it never comes
				}
				for _, j := range c.jobs.Jobs() {
					jobs[j.ID] = j
				}
			}
			var idle []span
			fires := map[string][]schedule.Fire{}
			for range 120 {
				time.Sleep(time.Duration(r.Int64N(int64(3 * time.Hour)))) // the model works
				s := span{from: time.Now(), to: time.Now().Add(time.Duration(r.Int64N(int64(3 * time.Hour))))}
				for _, f := range c.waitUntil(s.to) {
					fires[f.Job.ID] = append(fires[f.Job.ID], f)
				}
				idle = append(idle, s)
			}
			end := idle[len(idle)-1].to
			left := map[string]bool{}
			for _, j := range c.jobs.Jobs() {
				left[j.ID] = true
			}
			for id, j := range jobs {
				next, err := schedule.Next(j.Cron)
				require.NoError(t, err)
				from, gone := j.CreatedAt, false
				for _, f := range fires[id] {
					require.False(t, gone, "a fire after the last")
					due, ok := next(from, loc)
					require.True(t, ok)
					require.True(t, due.Equal(f.Due), "%s after %v: due %v, want %v", j.Cron, from, f.Due, due)
					require.True(t, firstIdle(idle, due).Equal(f.At), "%s, due %v: at %v", j.Cron, due, f.At)
					gone = !j.Recurring || !f.At.Before(j.CreatedAt.Add(schedule.MaxAge))
					require.Equal(t, gone, f.Last)
					from = f.At
				}
				require.Equal(t, !gone, left[id])
				if due, ok := next(from, loc); ok && !gone {
					require.False(t, firstIdle(idle, due).Before(end), "%s was due at %v and has not fired", j.Cron, due)
				}
			}
		})
	}
}

// firstIdle returns the first moment from due on at which the host was idle, or the last of all.
func firstIdle(idle []span, due time.Time) time.Time {
	for _, s := range idle {
		if due.Before(s.from) {
			return s.from
		}
		if due.Before(s.to) {
			return due
		}
	}
	return idle[len(idle)-1].to
}
