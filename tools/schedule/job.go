package schedule

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"
)

// The limits of jobs.
const (
	DefaultMaxJobs = 50                 // jobs of a conversation, wake-ups not counted
	MaxAge         = 7 * 24 * time.Hour // of a recurring job, which then fires once more
	MaxPrompt      = 10_000             // bytes of a prompt

	maxAgeDays  = int(MaxAge / (24 * time.Hour))
	idLen       = 8
	maxLate     = 30 * time.Minute // of a recurring job
	maxEarly    = 90 * time.Second // of a job that comes once
	earlyMinute = 30               // the minutes that this divides
)

// A Job is one job at one moment. Its JSON is that of CronCreate and CronList.
type Job struct {
	ID string `json:"id"`
	// Cron is the expression; empty for a wake-up.
	Cron string `json:"cron,omitempty"`
	// HumanSchedule is the expression in words, such as "every day at 09:30"; of a job that
	// comes once, the time, such as "once at 2030-05-06 09:30:00 UTC".
	HumanSchedule string `json:"humanSchedule,omitempty"`
	Prompt        string `json:"prompt,omitempty"`
	Recurring     bool   `json:"recurring"`
	Durable       bool   `json:"durable,omitempty"`
	// NextFireAt is when the job fires next.
	NextFireAt time.Time `json:"nextFireAt,omitzero"`

	// AgentID is the agent that has made the job; empty for the main agent.
	AgentID string `json:"agentId,omitempty"`
	// Reason is that of a wake-up, for the user.
	Reason string `json:"reason,omitempty"`
	// CreatedAt is when the job was made.
	CreatedAt time.Time `json:"createdAt,omitzero"`
}

// IsWakeup reports whether ScheduleWakeup has made the job.
func (j Job) IsWakeup() bool { return j.Cron == "" }

// A job is the state of one job. Times have no monotonic part: a machine that slept has another
// idea of how much time went by than its clock.
type job struct {
	Job
	expr   *expression // nil for a wake-up
	due    time.Time   // the time that the expression names; that of a wake-up
	stored time.Time   // the due time that the file has, if the job is durable
	last   time.Time   // when it fired last, or was made
}

// newJob returns a job that is made at now, without an owner.
func newJob(expr *expression, prompt string, recurring, durable bool, now time.Time, o *Options) (*job, error) {
	due, ok := expr.next(now, o.location())
	if !ok {
		return nil, fmt.Errorf("%w: %s does not come within %d years", ErrExpression, quote(expr.text), searchYears)
	}
	j := &job{expr: expr, due: due, last: now, Job: Job{
		Cron: expr.text, Prompt: prompt, Recurring: recurring, Durable: durable, CreatedAt: now,
	}}
	return j, nil
}

// jobOf returns the job of a record, whose expression was checked.
func jobOf(r *record, o *Options) (*job, error) {
	expr, err := parseExpression(r.Cron)
	if err != nil {
		return nil, err
	}
	j := &job{expr: expr, due: r.Due, stored: r.Due, last: r.Created, Job: Job{
		ID: r.ID, Cron: expr.text, Prompt: r.Prompt, Recurring: r.Recurring, Durable: true, CreatedAt: r.Created,
	}}
	j.plan(o)
	return j, nil
}

// record returns the job for the file.
func (j *job) record() record {
	return record{ID: j.ID, Cron: j.Cron, Prompt: j.Prompt, Recurring: j.Recurring, Created: j.CreatedAt, Due: j.due}
}

// checkPrompt returns an error for a prompt that a job cannot have.
func checkPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "":
		return fmt.Errorf("%w: it is empty; write what you are to do when the job comes", ErrPrompt)
	case len(prompt) > MaxPrompt:
		return fmt.Errorf("%w: it has %d bytes, and at most %d are allowed; put the rest into a file, and name that", ErrPrompt, len(prompt), MaxPrompt)
	}
	return nil
}

// newID returns a new id.
func newID() string { return strings.ToLower(rand.Text()[:idLen]) }

// isID reports whether a text has the form of an id.
func isID(text string) bool {
	return len(text) == idLen && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// moves says by how much jobs are moved, for the model.
func (o *Options) moves() string {
	if o.Exact {
		return "Jobs come at the minutes that their expressions name."
	}
	return fmt.Sprintf("A recurring job comes later than its time, by less than %g minutes and less than half of the time until its next, so that not everything happens at once; one that comes once, at minute 0 or %d, up to %g seconds earlier. If the exact time does not matter, choose another minute than 0 and %[2]d.",
		maxLate.Minutes(), earlyMinute, maxEarly.Seconds())
}

// plan sets when the job fires, from its due time, and its schedule in words.
func (j *job) plan(o *Options) {
	j.NextFireAt = j.due
	switch {
	case o.Exact || j.expr == nil:
	case j.Recurring:
		late := maxLate
		if next, ok := j.expr.next(j.due, o.location()); ok {
			late = min(late, next.Sub(j.due)/2)
		}
		j.NextFireAt = j.due.Add(j.share(late))
	case j.due.In(o.location()).Minute()%earlyMinute == 0:
		if early := j.due.Add(-j.share(maxEarly)); early.After(j.CreatedAt) {
			j.NextFireAt = early
		}
	}
	switch {
	case j.expr == nil:
	case j.Recurring:
		j.HumanSchedule = j.expr.human()
	default:
		j.HumanSchedule = "once at " + stamp(j.NextFireAt.In(o.location()))
	}
}

// share returns the part of d that the id names, in whole seconds and less than d.
func (j *job) share(d time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(j.ID))
	part := float64(h.Sum64()>>11) / (1 << 53)
	return time.Duration(math.Floor(part*d.Seconds())) * time.Second
}

// advance moves a job that has fired at now to its next time. It reports false if the job is gone.
func (j *job) advance(now time.Time, o *Options) bool {
	if !j.Recurring || j.isLast(now) {
		return false
	}
	// A job that fires later than its due time may be past the next one only after a delay; what
	// was due meanwhile does not come again.
	due, ok := j.expr.next(now, o.location())
	if !ok {
		return false
	}
	j.due, j.last = due, now
	j.plan(o)
	return true
}

// isLast reports whether a fire at now is the last one.
func (j *job) isLast(now time.Time) bool {
	return !j.Recurring || !now.Before(j.CreatedAt.Add(MaxAge))
}

// settle corrects a recurring job after the clock was set back behind its last fire, and a wake-up
// after it was set back behind the call that made it: otherwise they would not fire until the
// clock has come to where it was, and live for as long.
func (j *job) settle(now time.Time, o *Options) {
	if !j.Recurring && !j.IsWakeup() || !now.Before(j.last) {
		return
	}
	if j.IsWakeup() {
		j.due = now.Add(j.due.Sub(j.last))
	} else if due, ok := j.expr.next(now, o.location()); ok {
		j.due = due
	}
	j.last = now
	if now.Before(j.CreatedAt) {
		j.CreatedAt = now
	}
	j.plan(o)
}

// isOf reports whether an agent may see the job.
func (j *job) isOf(agent string) bool { return agent == "" || agent == j.AgentID }
