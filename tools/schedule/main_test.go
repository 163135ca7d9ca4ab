package schedule_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// The variables that make a child process of this binary play a role.
const (
	roleName = "PEGBOARD_SCHEDULE_ROLE"
	pathName = "PEGBOARD_SCHEDULE_PATH"

	writing = "write" // makes and deletes jobs until it is killed
)

func TestMain(m *testing.M) {
	if os.Getenv(roleName) == writing {
		write(os.Getenv(pathName))
	}
	os.Exit(m.Run())
}

// write makes and deletes durable jobs, and prints what it has done.
func write(path string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	jobs, err := schedule.Open(path, schedule.Options{})
	fail(err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	fail(err)
	tools := jobs.Tools()
	for n := 0; ; n++ {
		if all := jobs.Jobs(); len(all) > 20 {
			fmt.Println("deleting", all[n%20].ID)
			fail(tooltest.Run(context.Background(), tools[2], s, fmt.Sprintf(`{"id": %q}`, all[n%20].ID)).Err)
			fmt.Println("deleted", all[n%20].ID)
			continue
		}
		out := tooltest.Run(context.Background(), tools[0], s, fmt.Sprintf(`{"cron": "0 9 * * *", "prompt": "number %d", "durable": true}`, n))
		fail(out.Err)
		made, _ := out.Result.Data.(schedule.Created)
		fmt.Println("made", made.ID)
		time.Sleep(time.Duration(n%3) * 100 * time.Microsecond)
	}
}
