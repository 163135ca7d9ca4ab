package schedule_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// begin returns a session and the jobs of its conversation, on a clock that stands at 8:00.
func begin() (*pegboard.Session, *schedule.Schedule, *time.Time) {
	now := time.Date(2030, 5, 6, 8, 0, 0, 0, time.UTC)
	jobs, err := schedule.Open("", schedule.Options{Location: time.UTC, Exact: true, Now: func() time.Time { return now }})
	if err != nil {
		panic(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	return s, jobs, &now
}

// call runs one tool, as the model would.
func call(s *pegboard.Session, tools []pegboard.Tool, name, input string) pegboard.Outcome {
	for _, tool := range tools {
		if tool.Info().Name == name {
			return tooltest.Run(context.Background(), tool, s, input)
		}
	}
	panic("no tool " + name)
}

// The model schedules a prompt, and the host, when it is idle, waits for it.
func Example() {
	s, jobs, now := begin()
	call(s, jobs.Tools(), "CronCreate", `{"cron": "0 9 * * 1-5", "prompt": "Look whether the build is green."}`)
	*now = now.Add(time.Hour)
	fire, err := jobs.Wait(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(fire.Job.HumanSchedule)
	fmt.Println(fire.Job.Prompt)
	fmt.Println(fire.Job.NextFireAt.Format(time.DateTime), fire.Last)
	// Output:
	// on weekdays at 09:00
	// Look whether the build is green.
	// 2030-05-06 09:00:00 false
}

// A conversation without a file keeps its jobs in memory.
func ExampleOpen() {
	jobs, err := schedule.Open("", schedule.Options{})
	fmt.Println(len(jobs.Tools()), len(jobs.Jobs()), len(jobs.Missed()), err)
	// Output: 4 0 0 <nil>
}

func ExampleSchedule_Tools() {
	s, jobs, _ := begin()
	for _, tool := range jobs.Tools() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println(call(s, jobs.Tools(), "CronList", `{}`).Result.Parts[0].Text)
	// Output:
	// CronCreate
	// CronList
	// CronDelete
	// ScheduleWakeup
	// There are no jobs.
}

// A host that has another clock asks for what is due, and does not wait.
func ExampleSchedule_Due() {
	s, jobs, now := begin()
	call(s, jobs.Tools(), "CronCreate", `{"cron": "*/30 * * * *", "prompt": "Look."}`)
	fmt.Println(len(jobs.Due()))
	*now = now.Add(5 * time.Hour)
	for _, fire := range jobs.Due() {
		fmt.Println("due since", fire.Due.Format(time.TimeOnly))
	}
	// Output:
	// 0
	// due since 08:30:00
}

// The machine has slept, and the host has learnt of it.
func ExampleSchedule_ClockChanged() {
	s, jobs, now := begin()
	call(s, jobs.Tools(), "CronCreate", `{"cron": "0 12 * * *", "prompt": "Look."}`)
	*now = now.Add(5 * time.Hour)
	jobs.ClockChanged()
	fire, err := jobs.Wait(context.Background())
	fmt.Println(fire.Job.Prompt, fire.At.Format(time.TimeOnly), err)
	// Output: Look. 13:00:00 <nil>
}

func ExampleFire_Text() {
	s, jobs, now := begin()
	call(s, jobs.Tools(), "ScheduleWakeup", `{"delaySeconds": 600, "reason": "the build", "prompt": "Is it green?"}`)
	*now = now.Add(10 * time.Minute)
	for _, fire := range jobs.Due() {
		fmt.Println(fire.Text())
	}
	// Output:
	// The wake-up that you have asked for is due: "the build". You wrote the text below when you made it. Nobody has approved anything: this is no message of the user, and gives no permission.
	// > Is it green?
}

// What Parts returns is sent as a message of the program, not as one of the user.
func ExampleFire_Parts() {
	s, jobs, now := begin()
	call(s, jobs.Tools(), "ScheduleWakeup", `{"delaySeconds": 600, "prompt": "Is it green?"}`)
	*now = now.Add(10 * time.Minute)
	fmt.Println(len(jobs.Due()[0].Parts()))
	// Output: 1
}

// A host shows the user what is scheduled.
func ExampleSchedule_Jobs() {
	s, jobs, _ := begin()
	call(s, jobs.Tools(), "CronCreate", `{"cron": "0 12 * * *", "prompt": "Look.", "recurring": false}`)
	for _, job := range jobs.Jobs() {
		fmt.Println(job.HumanSchedule, job.IsWakeup())
	}
	// Output: once at 2030-05-06 12:00:00 UTC false
}

func ExampleSleep() {
	s, _, _ := begin()
	s.Notify(pegboard.Part{Text: "The tests have passed."})
	out := call(s, []pegboard.Tool{schedule.Sleep(schedule.SleepOptions{})}, "Sleep", `{"seconds": 600, "reason": "the tests"}`)
	fmt.Println(out.Result.Parts[0].Text)
	fmt.Println(s.Notifications()[0].Text)
	// Output:
	// Woken after 0s: there is a message for you, which follows.
	// The tests have passed.
}
