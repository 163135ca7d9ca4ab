package schedule_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

// In a bubble of synctest it is midnight, 1 January 2000, UTC, a Saturday.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestRecurringJobsFireLateByTheirID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, cron string
		period     time.Duration
		most       time.Duration // how late a fire may be
	}{
		{name: "each minute", cron: "* * * * *", period: time.Minute, most: 30 * time.Second},
		{name: "every ten minutes", cron: "*/10 * * * *", period: 10 * time.Minute, most: 5 * time.Minute},
		{name: "hourly", cron: "0 * * * *", period: time.Hour, most: 30 * time.Minute},
		{name: "daily", cron: "0 9 * * *", period: 24 * time.Hour, most: 30 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newConversation(t, "", schedule.Options{})
				offsets := map[time.Duration]bool{}
				var sum, count time.Duration
				for range 40 {
					made := c.create(object{"cron": tt.cron, "prompt": "look"})
					first, second, third := c.wait(), c.wait(), c.wait()
					require.Equal(t, made.NextFireAt, first.At)
					late := first.At.Sub(first.Due)
					require.GreaterOrEqual(t, late, time.Duration(0))
					require.Less(t, late, tt.most)
					require.Zero(t, late%time.Second)
					require.Equal(t, late, second.At.Sub(second.Due), "always the same")
					require.Equal(t, tt.period, second.Due.Sub(first.Due))
					require.Equal(t, tt.period, third.Due.Sub(second.Due))
					offsets[late] = true
					sum, count = sum+late, count+1
					out := c.run(c.session, "CronDelete", object{"id": made.ID})
					require.NoError(t, out.Err)
				}
				require.Greater(t, len(offsets), 15, "the ids differ")
				require.InDelta(t, tt.most.Seconds()/2, (sum / count).Seconds(), tt.most.Seconds()/5)
			})
		})
	}
}

func TestJobsThatComeOnceFireEarlyByTheirID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, cron string
		wait       time.Duration // before the job is made
		due        time.Duration // from midnight
		early      bool
		exact      bool
	}{
		{name: "at the hour", cron: "0 9 * * *", due: 9 * time.Hour, early: true},
		{name: "at the half hour", cron: "30 9 * * *", due: 9*time.Hour + 30*time.Minute, early: true},
		{name: "at another minute", cron: "29 9 * * *", due: 9*time.Hour + 29*time.Minute},
		{name: "exact", cron: "0 9 * * *", due: 9 * time.Hour, exact: true},
		{name: "too near to be early", cron: "0 9 * * *", wait: 9*time.Hour - time.Second, due: 9 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(tt.wait)
				var moved int
				for range 20 {
					c := newConversation(t, "", schedule.Options{Exact: tt.exact})
					made := c.create(object{"cron": tt.cron, "prompt": "look", "recurring": false})
					require.False(t, made.Recurring)
					early := midnight.Add(tt.due).Sub(made.NextFireAt)
					require.GreaterOrEqual(t, early, time.Duration(0))
					require.Less(t, early, 90*time.Second)
					if early > 0 {
						moved++
					}
				}
				if tt.early {
					require.Greater(t, moved, 15)
				} else {
					require.Zero(t, moved)
				}
				c := newConversation(t, "", schedule.Options{Exact: tt.exact})
				made := c.create(object{"cron": tt.cron, "prompt": "look", "recurring": false})
				fire := c.wait()
				require.Equal(t, made.NextFireAt, fire.At)
				require.Equal(t, midnight.Add(tt.due), fire.Due)
				require.True(t, fire.Last)
				require.Empty(t, c.jobs.Jobs())
			})
		})
	}
}

func TestRecurringJobsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newConversation(t, "", schedule.Options{Exact: true})
		time.Sleep(30 * time.Minute)
		c.create(object{"cron": "0 9 * * *", "prompt": "look"})
		fires := c.waitUntil(midnight.AddDate(0, 0, 30))
		require.Len(t, fires, 8)
		for i, f := range fires {
			require.Equal(t, midnight.AddDate(0, 0, i).Add(9*time.Hour), f.At)
			require.Equal(t, i == 7, f.Last, "%d", i)
		}
		require.Contains(t, fires[7].Text(), "this was the last time")
		require.NotContains(t, fires[6].Text(), "last time")
		require.Empty(t, c.jobs.Jobs())
	})
}

func TestWhatWasMissedFiresOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newConversation(t, "", schedule.Options{Exact: true})
		c.create(object{"cron": "0 * * * *", "prompt": "hourly"})
		c.create(object{"cron": "30 9 * * *", "prompt": "once", "recurring": false})
		c.create(object{"cron": "0 12 * * *", "prompt": "later"})
		require.Empty(t, c.jobs.Due())
		time.Sleep(10*time.Hour + 10*time.Minute) // the model works
		fires := c.jobs.Due()
		require.Len(t, fires, 2)
		require.Equal(t, "hourly", fires[0].Job.Prompt)
		require.Equal(t, midnight.Add(time.Hour), fires[0].Due)
		require.Equal(t, midnight.Add(10*time.Hour+10*time.Minute), fires[0].At)
		require.Contains(t, fires[0].Text(), "It should have come at 2000-01-01 01:00:00 UTC")
		require.Equal(t, "once", fires[1].Job.Prompt)
		require.Empty(t, c.jobs.Due(), "nothing fires twice")
		require.Equal(t, midnight.Add(11*time.Hour), c.wait().At)
		require.Equal(t, []string{"hourly", "later"}, []string{c.wait().Job.Prompt, c.wait().Job.Prompt})
	})
}

func TestWait(t *testing.T) {
	t.Parallel()
	wait := func(c *conversation, ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := c.jobs.Wait(ctx)
			done <- err
		}()
		synctest.Wait()
		return done
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newConversation(t, "", schedule.Options{})
			c.create(object{"cron": "0 9 * * *", "prompt": "look"})
			cause := errors.New("the user writes")
			ctx, cancel := context.WithCancelCause(t.Context())
			done := wait(c, ctx)
			cancel(cause)
			require.ErrorIs(t, <-done, cause)
			require.Len(t, c.jobs.Jobs(), 1, "the job is not lost")
			_, err := c.jobs.Wait(ctx)
			require.ErrorIs(t, err, cause, "also if a job is due")
		})
	})
	t.Run("a job that is made meanwhile", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newConversation(t, "", schedule.Options{Exact: true})
			done := wait(c, t.Context())
			time.Sleep(time.Hour)
			c.create(object{"cron": "30 * * * *", "prompt": "look"})
			require.NoError(t, <-done)
			require.Equal(t, midnight.Add(90*time.Minute), time.Now().UTC())
		})
	})
	t.Run("an earlier job", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newConversation(t, "", schedule.Options{Exact: true})
			c.create(object{"cron": "0 9 * * *", "prompt": "late"})
			done := wait(c, t.Context())
			c.wake(object{"delaySeconds": 120})
			require.NoError(t, <-done)
			require.Equal(t, midnight.Add(2*time.Minute), time.Now().UTC())
		})
	})
	t.Run("a job that is deleted meanwhile", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newConversation(t, "", schedule.Options{Exact: true})
			soon := c.create(object{"cron": "5 0 * * *", "prompt": "soon"})
			c.create(object{"cron": "0 9 * * *", "prompt": "late"})
			done := wait(c, t.Context())
			require.NoError(t, c.run(c.session, "CronDelete", object{"id": soon.ID}).Err)
			require.NoError(t, <-done)
			require.Equal(t, midnight.Add(9*time.Hour), time.Now().UTC())
		})
	})
	t.Run("several at once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newConversation(t, "", schedule.Options{Exact: true})
			prompts := make(chan string, 3)
			for _, prompt := range []string{"a", "b", "c"} {
				c.create(object{"cron": "0 9 * * *", "prompt": prompt, "recurring": false})
				go func() {
					fire, err := c.jobs.Wait(t.Context())
					if err == nil {
						prompts <- fire.Job.Prompt
					}
				}()
			}
			require.ElementsMatch(t, []string{"a", "b", "c"}, []string{<-prompts, <-prompts, <-prompts})
		})
	})
}

// TestTheMachineSlept: its clock goes on while timers do not.
func TestTheMachineSlept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c clock
		jobs := newConversation(t, "", schedule.Options{Exact: true, Now: c.now})
		jobs.create(object{"cron": "0 */2 * * *", "prompt": "look"})
		fired := make(chan schedule.Fire, 1)
		go func() { fired <- jobs.wait() }()
		synctest.Wait()
		c.offset = 9 * time.Hour // the machine sleeps and wakes, and the host learns of it
		jobs.jobs.ClockChanged()
		fire := <-fired
		require.Equal(t, midnight, time.Now().UTC(), "no timer had to end")
		require.Equal(t, midnight.Add(2*time.Hour), fire.Due)
		require.Equal(t, midnight.Add(9*time.Hour), fire.At)
		next := jobs.wait()
		require.Equal(t, midnight.Add(10*time.Hour), next.At, "what it slept through fires once")
	})
}

// TestTheClockIsSetBackBehindAWakeup: the wake-up has a delay, and no time of the day.
func TestTheClockIsSetBackBehindAWakeup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c clock
		jobs := newConversation(t, "", schedule.Options{Now: c.now})
		jobs.wake(object{"delaySeconds": 600})
		time.Sleep(time.Minute)
		c.offset = -24 * time.Hour
		began := time.Now()
		require.True(t, jobs.wait().Job.IsWakeup())
		require.Equal(t, 10*time.Minute, time.Since(began))
		require.Empty(t, jobs.jobs.Jobs())
	})
}

func TestTheClockIsSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		by     time.Duration // at 1:30, after the first fire
		want   time.Duration // from midnight, on the clock: the next fire
		waited time.Duration // until then
	}{
		{name: "forward", by: 20 * time.Minute, want: 2 * time.Hour, waited: 10 * time.Minute},
		{name: "forward past several fires", by: 3 * time.Hour, want: 4*time.Hour + 30*time.Minute},
		{name: "back a little", by: -10 * time.Minute, want: 2 * time.Hour, waited: 40 * time.Minute},
		{name: "back behind the last fire", by: -time.Hour, want: time.Hour, waited: 30 * time.Minute},
		{name: "back by years", by: -3 * 365 * 24 * time.Hour, want: -3*365*24*time.Hour + 2*time.Hour, waited: 30 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c clock
				jobs := newConversation(t, "", schedule.Options{Exact: true, Now: c.now})
				jobs.create(object{"cron": "0 * * * *", "prompt": "look"})
				require.Equal(t, midnight.Add(time.Hour), jobs.wait().At)
				time.Sleep(30 * time.Minute)
				c.offset = tt.by
				began := time.Now()
				fire := jobs.wait()
				require.Equal(t, tt.waited, time.Since(began))
				require.Equal(t, midnight.Add(tt.want), fire.At)
				fires := jobs.waitUntil(time.Now().AddDate(0, 0, 30))
				require.LessOrEqual(t, len(fires), 7*24+1, "it ends all the same")
				require.True(t, fires[len(fires)-1].Last)
			})
		})
	}
}

// TestAnIdleHour: while a host waits for 50 jobs, nothing runs but the fires.
func TestAnIdleHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0 // at the clock
		c := newConversation(t, "", schedule.Options{Exact: true, Now: func() time.Time { looks++; return time.Now() }})
		for range 50 {
			c.create(object{"cron": "0 0 * * *", "prompt": "look"})
		}
		before, goroutines := looks, runtime.NumGoroutine()
		done := make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		go func() {
			defer close(done)
			_, _ = c.jobs.Wait(ctx)
		}()
		synctest.Wait()
		require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+8, "other tests may have a few")
		<-done
		require.Equal(t, 1, looks-before, "it looks at the clock once")
	})
}

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
