package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Schedule is the jobs of one conversation. It starts no goroutine: a host waits for it. Make it
// with [Open]. Its methods may be called concurrently.
type Schedule struct {
	options Options
	file    *durable.File[[]record] // nil if jobs are kept in memory only
	problem error                   // why the file cannot be used
	missed  []Job
	owners  *pegboard.Key[*owner]

	mu      lock.Mutex    // held while the file is written
	jobs    []*job        // the oldest first
	changed chan struct{} // closed when jobs or the clock change
}

// Open returns the jobs of a conversation. Path is the file for the durable ones; it need not be
// there, and its directory is made when the first durable job is. An empty path keeps all jobs in
// memory, and durable ones are refused.
//
// Of the jobs in the file it takes the recurring ones that are younger than [MaxAge], and those that
// are still to come; see [Schedule.Missed] for the others.
//
// If the file cannot be used, Open returns a schedule in memory and an error that wraps [ErrFile].
// The host may go on with that schedule: its tools tell the model why there are no durable jobs. The
// file is left as it is.
func Open(path string, o Options) (*Schedule, error) {
	c := &Schedule{options: o, changed: make(chan struct{}), owners: pegboard.NewClonedKey("owner of scheduled jobs", func(*owner) *owner { return &owner{} })}
	if path == "" {
		return c, nil
	}
	file, err := openFile(path)
	if err == nil {
		c.file = file
		err = c.readFile()
	}
	if err != nil {
		c.file, c.problem, c.jobs, c.missed = nil, err, nil, nil
	}
	return c, err
}

// readFile takes the jobs of the file that are not over, and removes the others from it.
func (c *Schedule) readFile() error {
	now := c.options.now()
	over := func(r record) bool {
		return !r.Recurring && r.Due.Before(now) || r.Recurring && !now.Before(r.Created.Add(MaxAge))
	}
	records, err := c.file.Load(context.Background())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	if !slices.ContainsFunc(records, over) {
		return c.reload(records)
	}
	return c.update(context.Background(), func(all []record) []record {
		c.missed = nil
		for _, r := range all {
			if j, err := jobOf(&r, &c.options); err == nil && over(r) {
				c.missed = append(c.missed, j.Job)
			}
		}
		return slices.DeleteFunc(slices.Clone(all), over)
	})
}

// update replaces the durable jobs by what change makes of those in the file. It may be called
// several times, as other programs write the file meanwhile. The error wraps ErrFile. The caller
// holds the lock, or is Open.
func (c *Schedule) update(ctx context.Context, change func(all []record) []record) error {
	records, err := c.file.Change(ctx, func(all []record) ([]record, error) { return change(all), nil })
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	return c.reload(records)
}

// reload takes the durable jobs as the file has them. The caller holds the lock, or is Open.
func (c *Schedule) reload(records []record) error {
	next := slices.DeleteFunc(slices.Clone(c.jobs), func(j *job) bool { return j.Durable })
	for i := range records {
		r := &records[i]
		j := c.find(r.ID)
		if j == nil || !j.stored.Equal(r.Due) {
			var err error
			if j, err = jobOf(r, &c.options); err != nil {
				return fmt.Errorf("%w: job %s: %w", ErrFile, r.ID, err)
			}
		}
		next = append(next, j)
	}
	slices.SortStableFunc(next, func(a, b *job) int { return a.CreatedAt.Compare(b.CreatedAt) })
	c.jobs = next
	return nil
}

// find returns the job with an id. The caller holds the lock.
func (c *Schedule) find(id string) *job {
	if i := slices.IndexFunc(c.jobs, func(j *job) bool { return j.ID == id }); i >= 0 {
		return c.jobs[i]
	}
	return nil
}

// Missed returns the jobs that Open found in the file and has not taken: those that should have
// come once while no program waited for them, and recurring ones that are older than [MaxAge].
func (c *Schedule) Missed() []Job { return slices.Clone(c.missed) }

// Jobs returns the jobs of all agents, with wake-ups, the oldest first.
func (c *Schedule) Jobs() []Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list(func(*job) bool { return true })
}

// list returns some jobs. The caller holds the lock.
func (c *Schedule) list(is func(*job) bool) []Job {
	all := []Job{}
	for _, j := range c.jobs {
		if is(j) {
			all = append(all, j.Job)
		}
	}
	return all
}

// Tools returns the tools of the model for the jobs: CronCreate, CronList, CronDelete and
// ScheduleWakeup. They need no permission, since a job is a prompt and nothing more. An agent sees and
// deletes its own jobs, which end with its session; the main agent sees and deletes all.
func (c *Schedule) Tools() []pegboard.Tool {
	return []pegboard.Tool{c.cronCreateTool(), c.cronListTool(), c.cronDeleteTool(), c.wakeupTool()}
}

// Wait waits until a job fires, and returns the fire. It polls nothing: the goroutine of the caller
// sleeps until the next job is due, one is made or deleted, [Schedule.ClockChanged] is called, or
// ctx ends, whose cause it then returns. Of several calls at once, each returns fires of its own. Of
// several jobs that are due, the earliest is first.
func (c *Schedule) Wait(ctx context.Context) (Fire, error) {
	for {
		if ctx.Err() != nil {
			return Fire{}, context.Cause(ctx)
		}
		fires, pause, changed := c.take(1)
		if len(fires) > 0 {
			return fires[0], nil
		}
		if err := sleep(ctx, pause, changed); err != nil {
			return Fire{}, err
		}
	}
}

// sleep waits for the end of a pause or of ctx, or for a change. A pause of 0 never ends.
func sleep(ctx context.Context, pause time.Duration, changed <-chan struct{}) error {
	var end <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		end = timer.C
	}
	select {
	case <-end:
	case <-changed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Due returns the jobs that are due now, the earliest first, and does not wait. A job that came
// several times since it last fired fires once.
func (c *Schedule) Due() []Fire {
	fires, _, _ := c.take(-1)
	return fires
}

// ClockChanged makes calls of Wait look at the clock again. A host calls it when it learns that the
// machine has slept or that the clock was set. Without it, a call of Wait ends as much later as
// the machine slept; it never fires early.
func (c *Schedule) ClockChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signal()
}

// signal wakes the calls of Wait. The caller holds the lock.
func (c *Schedule) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// take returns the next fires, at most limit if that is not negative. Without one, it returns
// how long it is until the next, or 0 if there is no job, and a channel that is closed when that
// changes.
func (c *Schedule) take(limit int) (fires []Fire, pause time.Duration, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.now()
	var due []*job
	for _, j := range c.jobs {
		j.settle(now, &c.options)
		left := j.NextFireAt.Sub(now)
		if left <= 0 {
			due = append(due, j)
		} else if pause == 0 || left < pause {
			pause = left
		}
	}
	if len(due) == 0 {
		return nil, pause, c.changed
	}
	slices.SortStableFunc(due, func(a, b *job) int { return a.NextFireAt.Compare(b.NextFireAt) })
	if limit >= 0 && len(due) > limit {
		due = due[:limit]
	}
	fires = c.fire(due, now)
	if len(fires) == 0 { // another program has fired them
		pause = time.Nanosecond
	}
	return fires, pause, c.changed
}

// fire moves jobs to their next times and returns their fires. The caller holds the lock.
func (c *Schedule) fire(due []*job, now time.Time) (fires []Fire) {
	mine, err := c.claim(due, now)
	for _, j := range due {
		if !mine[j.ID] {
			continue
		}
		f := Fire{Job: j.Job, Due: j.due.In(c.options.location()), At: now.In(c.options.location()), Last: j.isLast(now)}
		if j.Durable {
			f.Err = err
		}
		fires = append(fires, f)
	}
	for _, j := range due {
		switch known := c.find(j.ID); {
		case j.Durable && err == nil:
			if known != nil {
				known.last = now // reload has done the rest
			}
		case !j.advance(now, &c.options):
			c.remove(j.ID)
		}
	}
	return fires
}

// claim writes to the file that durable jobs have fired, and returns the ids of the jobs that no
// other program has fired. If the file cannot be written, all are returned.
func (c *Schedule) claim(due []*job, now time.Time) (mine map[string]bool, err error) {
	mine = map[string]bool{}
	kept := map[string]*job{} // on file
	for _, j := range due {
		mine[j.ID] = true
		if j.Durable {
			kept[j.ID] = j
		}
	}
	if len(kept) == 0 {
		return mine, nil
	}
	err = c.update(context.Background(), func(all []record) []record {
		for id := range kept {
			mine[id] = false
		}
		all = slices.DeleteFunc(slices.Clone(all), func(r record) bool {
			j := kept[r.ID]
			if j == nil || !r.Due.Equal(j.stored) {
				return false
			}
			mine[r.ID] = true
			next := *j
			return !next.advance(now, &c.options)
		})
		for i := range all {
			if j := kept[all[i].ID]; j != nil && mine[j.ID] {
				next := *j
				next.advance(now, &c.options)
				all[i] = next.record()
			}
		}
		return all
	})
	if err != nil {
		for id := range kept {
			mine[id] = true
		}
	}
	return mine, err
}

// remove removes a job from memory. The caller holds the lock.
func (c *Schedule) remove(id string) {
	c.jobs = slices.DeleteFunc(c.jobs, func(j *job) bool { return j.ID == id })
}

// add adds a job, with a new id.
func (c *Schedule) add(ctx context.Context, j *job) (Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j.Durable && c.file == nil {
		err := c.problem
		if err == nil {
			err = errors.New("this conversation keeps no jobs on file")
		}
		return Job{}, fmt.Errorf("a durable job cannot be made: %w; leave durable out, and the job lasts as long as the program", err)
	}
	if crons := c.list(func(o *job) bool { return !o.IsWakeup() }); !j.IsWakeup() && len(crons) >= c.options.maxJobs() {
		return Job{}, fmt.Errorf("%w: there are %d, which is the most; delete one with CronDelete", ErrTooMany, len(crons))
	}
	for j.ID = newID(); c.find(j.ID) != nil; j.ID = newID() {
	}
	j.plan(&c.options)
	if j.Durable {
		if err := c.update(ctx, func(all []record) []record { return append(slices.Clip(all), j.record()) }); err != nil {
			return Job{}, fmt.Errorf("the job was not made: %w", err)
		}
	} else {
		c.jobs = append(c.jobs, j)
	}
	c.signal()
	return j.Job, nil
}

// delete removes a job of an agent, or of any agent for the main one.
func (c *Schedule) delete(ctx context.Context, agent, id string) (Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.find(id)
	if j == nil || !j.isOf(agent) {
		return Job{}, c.unknown(agent, id)
	}
	if j.Durable {
		err := c.update(ctx, func(all []record) []record {
			return slices.DeleteFunc(slices.Clone(all), func(r record) bool { return r.ID == id })
		})
		if err != nil {
			return Job{}, fmt.Errorf("job %s was not deleted: %w", id, err)
		}
	}
	c.remove(id)
	c.signal()
	return j.Job, nil
}

// unknown words the error for an id that no job has. The caller holds the lock.
func (c *Schedule) unknown(agent, id string) error {
	var ids []string
	for _, j := range c.jobs {
		if j.isOf(agent) && !j.IsWakeup() {
			ids = append(ids, j.ID)
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%w %s: there are no jobs", ErrUnknownJob, quote(id))
	}
	if near := nearest.Names(id, ids, 1); len(near) > 0 {
		ids = near
	}
	return fmt.Errorf("%w %s: there is %s; CronList shows them all", ErrUnknownJob, quote(id), join(ids))
}

// setWakeup puts a wake-up of an agent in the place of those that it has, and returns how many
// these were. A nil wake-up only removes them.
func (c *Schedule) setWakeup(agent string, j *job) (replaced int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.jobs)
	c.jobs = slices.DeleteFunc(c.jobs, func(o *job) bool { return o.IsWakeup() && o.AgentID == agent })
	replaced = before - len(c.jobs)
	if j != nil {
		for j.ID = newID(); c.find(j.ID) != nil; j.ID = newID() {
		}
		j.plan(&c.options)
		c.jobs = append(c.jobs, j)
	}
	c.signal()
	return replaced
}

// end removes the jobs of an agent whose session was closed.
func (c *Schedule) end(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = slices.DeleteFunc(c.jobs, func(j *job) bool { return j.AgentID == agent })
	c.signal()
}

// How far ahead a wake-up may be, in seconds. Other delays are changed to the nearer one.
const (
	minDelay = 60
	maxDelay = 3600
)

// wakeupInput is the input of ScheduleWakeup.
type wakeupInput struct {
	Delay  *float64 `json:"delaySeconds,omitempty" jsonschema_description:"In how many seconds, from 60 to 3600; other values are changed to the nearer of the two"`
	Reason string   `json:"reason,omitempty" jsonschema_description:"What you wait for, in a few words, for the user"`
	Prompt string   `json:"prompt,omitempty" jsonschema_description:"What you are to do then; left out, you go on with what you were waiting for"`
	Stop   bool     `json:"stop,omitempty" jsonschema_description:"true: set none, and cancel the one that is set"`
	Noop   bool     `json:"noop,omitempty" jsonschema_description:"true: you were woken and found nothing new, so that this turn need not be shown to the user"`
}

// Wakeup is the Result.Data of ScheduleWakeup.
type Wakeup struct {
	ScheduledFor        time.Time `json:"scheduledFor,omitzero"`
	ClampedDelaySeconds int       `json:"clampedDelaySeconds"`
	WasClamped          bool      `json:"wasClamped"`
	Stopped             bool      `json:"stopped,omitempty"`
	CancelledWakeups    int       `json:"cancelledWakeups,omitempty"`
	// Noop is the noop of the input, for a user interface.
	Noop bool `json:"noop,omitempty"`
}

// text words the result for the model.
func (out Wakeup) text() string {
	if out.Stopped {
		if out.CancelledWakeups == 0 {
			return "No wake-up was set."
		}
		return "The wake-up was cancelled."
	}
	text := fmt.Sprintf("You are woken at %s, in %d seconds, or when you are idle after that.", stamp(out.ScheduledFor), out.ClampedDelaySeconds)
	if out.WasClamped {
		text += fmt.Sprintf(" The delay was changed, since it must be from %d to %d.", minDelay, maxDelay)
	}
	if out.CancelledWakeups > 0 {
		text += " It takes the place of the wake-up that was set."
	}
	return text + " End your turn now."
}

// wakeupTool returns the ScheduleWakeup tool.
func (c *Schedule) wakeupTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[wakeupInput, Wakeup]{
		Info: pegboard.Info{Name: "ScheduleWakeup", Title: "Schedule wake-up", Hint: "come back later and look again after a delay"},
		Description: "Wakes you after a delay of 1 to 60 minutes, once. Use it to look again at something that does not tell you when it is done; you are told of the end of background tasks and of messages without it. " +
			"End your turn after it. You have one wake-up at a time: a second call replaces it, and stop cancels it. For fixed times, or for more than once, use CronCreate.",
		Traits: jobsTraits(),
		Summary: func(in wakeupInput, _ *pegboard.Call) pegboard.Summary {
			if in.Stop {
				return pegboard.Summary{Before: "Cancel the wake-up", While: "Cancelling the wake-up"}
			}
			return pegboard.Summary{Before: "Schedule a wake-up", While: "Scheduling a wake-up"}
		},
		Validate: func(_ context.Context, in wakeupInput, _ *pegboard.Call) error {
			if in.Delay == nil && !in.Stop {
				return errors.New("delaySeconds is missing: say in how many seconds you are to be woken, or stop to cancel")
			}
			return checkPrompt(cmp.Or(in.Prompt, "none"))
		},
		Permit: func(context.Context, wakeupInput, *pegboard.Call) policy.Decision { return permitJobs() },
		ClassifierInput: func(in wakeupInput, _ *pegboard.Call) string {
			return "wake itself later with a prompt of its own: " + in.Prompt
		},
		Call: c.wake,
		Result: func(out Wakeup) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, out.text()
			return r
		},
	})
}

// wake sets or cancels a wake-up for ScheduleWakeup.
func (c *Schedule) wake(_ context.Context, in wakeupInput, call *pegboard.Call) (Wakeup, error) {
	agent, err := c.ownerOf(call)
	if err != nil {
		return Wakeup{}, err
	}
	if in.Stop {
		return Wakeup{Stopped: true, CancelledWakeups: c.setWakeup(agent, nil), Noop: in.Noop}, nil
	}
	seconds := int(math.Ceil(min(max(*in.Delay, minDelay), maxDelay)))
	now := c.options.now()
	j := &job{due: now.Add(time.Duration(seconds) * time.Second), last: now, Job: Job{Prompt: in.Prompt, Reason: in.Reason, AgentID: agent, CreatedAt: now}}
	return Wakeup{
		ScheduledFor: j.due.In(c.options.location()), ClampedDelaySeconds: seconds, WasClamped: *in.Delay < minDelay || *in.Delay > maxDelay,
		CancelledWakeups: c.setWakeup(agent, j), Noop: in.Noop,
	}, nil
}

// An owner is a session whose agent has made jobs.
type owner struct{ joined sync.Once }

// ownerOf returns the id of the agent that makes a call; empty for the main agent. The jobs of an
// agent end with its session.
func (c *Schedule) ownerOf(call *pegboard.Call) (string, error) {
	s := call.Session()
	if s == nil {
		return "", errors.New("jobs are kept by calls of an executor only")
	}
	agent := s.AgentID()
	if agent == "" {
		return "", nil
	}
	c.owners.GetOrInit(s, func() *owner { return &owner{} }).joined.Do(func() {
		s.OnClose("scheduled jobs of agent "+agent, func(context.Context) error {
			c.end(agent)
			return nil
		})
	})
	return agent, nil
}

// The errors of the package, to test for with [errors.Is].
var (
	// ErrExpression: the text is no cron expression of this package, or never comes.
	ErrExpression = errors.New("invalid cron expression")
	// ErrTooMany: the conversation has as many jobs as it may.
	ErrTooMany = errors.New("too many scheduled jobs")
	// ErrUnknownJob: the agent has no job with that id.
	ErrUnknownJob = errors.New("unknown job")
	// ErrPrompt: a prompt is empty or too long.
	ErrPrompt = errors.New("invalid prompt")
	// ErrFile: the file of jobs cannot be used. It is left as it is.
	ErrFile = errors.New("the file of scheduled jobs cannot be used")
)
