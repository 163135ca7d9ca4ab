package schedule_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

// aJob is a record of the file.
func aJob(changes object) object {
	j := object{"id": "abcdefgh", "cron": "0 9 * * *", "prompt": "look", "recurring": true, "created": time.Now().Format(time.RFC3339), "due": time.Now().Add(time.Hour).Format(time.RFC3339)}
	for k, v := range changes {
		j[k] = v
	}
	return j
}

func fileOf(t *testing.T, content any) string {
	t.Helper()
	raw, err := json.Marshal(content)
	require.NoError(t, err)
	return string(raw)
}

// TestFilesThatCannotBeUsed: they are left as they are, and the tools work without them.
func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	jobs := func(t *testing.T, all ...object) string {
		t.Helper()
		return fileOf(t, object{"version": 1, "jobs": all})
	}
	tests := []struct {
		name    string
		content func(t *testing.T) string
		place   func(path string) error // in the place of a file
	}{
		{name: "empty", content: func(*testing.T) string { return "" }},
		{name: "no JSON", content: func(*testing.T) string { return "jobs: []" }},
		{name: "cut", content: func(*testing.T) string { return `{"version": 1, "jobs": [` }},
		{name: "two values", content: func(*testing.T) string { return `{"version": 1, "jobs": []} {}` }},
		{name: "a list", content: func(*testing.T) string { return `[]` }},
		{name: "no version", content: func(*testing.T) string { return `{"jobs": []}` }},
		{name: "a later version", content: func(*testing.T) string { return `{"version": 2, "jobs": [], "zones": []}` }},
		{name: "an unknown field", content: func(*testing.T) string { return `{"version": 1, "jobs": [], "zones": []}` }},
		{name: "a key twice", content: func(*testing.T) string { return `{"version": 1, "version": 1, "jobs": []}` }},
		{name: "an unknown field of a job", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(object{"zone": "UTC"})) }},
		{name: "an id twice", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(nil), aJob(nil)) }},
		{name: "no id", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(object{"id": "../../a"})) }},
		{name: "no expression", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(object{"cron": "@daily"})) }},
		{name: "no prompt", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(object{"prompt": " "})) }},
		{name: "no time", content: func(t *testing.T) string { t.Helper(); return jobs(t, aJob(object{"due": "0001-01-01T00:00:00Z"})) }},
		{name: "too large", content: func(*testing.T) string { return strings.Repeat(" ", 9<<20) }},
		{name: "a directory", place: func(path string) error { return os.Mkdir(path, 0o700) }},
		{name: "a link out of the folder", place: func(path string) error { return os.Symlink(filepath.Join("..", "elsewhere.json"), path) }},
		{name: "a link that leads nowhere", place: func(path string) error { return os.Symlink("nothing", path) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			elsewhere := filepath.Join(root, "elsewhere.json")
			require.NoError(t, os.WriteFile(elsewhere, []byte(jobs(t, aJob(nil))), 0o600))
			path := filepath.Join(root, "folder", "jobs.json")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			if tt.place != nil {
				require.NoError(t, tt.place(path))
			} else {
				require.NoError(t, os.WriteFile(path, []byte(tt.content(t)), 0o600))
			}
			before, _ := os.ReadFile(path)
			info, err := os.Lstat(path)
			require.NoError(t, err)
			opened, err := schedule.Open(path, schedule.Options{})
			require.ErrorIs(t, err, schedule.ErrFile)
			require.ErrorContains(t, err, path)
			require.NotNil(t, opened)
			c := &conversation{t: t, jobs: opened, session: newSession(t)}
			require.Contains(t, textOf(c.run(c.session, "CronList", object{})), "There are no jobs.\n(Durable jobs are not shown and cannot be made: the file of scheduled jobs cannot be used")
			out := c.run(c.session, "CronCreate", object{"cron": "0 9 * * *", "prompt": "look", "durable": true})
			require.ErrorIs(t, out.Err, schedule.ErrFile)
			require.Contains(t, textOf(out), "leave durable out")
			c.create(object{"cron": "0 9 * * *", "prompt": "look"})
			after, _ := os.ReadFile(path)
			require.Equal(t, before, after)
			again, err := os.Lstat(path)
			require.NoError(t, err)
			require.Equal(t, info.Mode(), again.Mode())
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.LessOrEqual(t, len(entries), 1)
			require.NoFileExists(t, filepath.Join(filepath.Dir(path), "nothing"))
		})
	}
}

func TestDurableJobs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "jobs.json")
	synctest.Test(t, func(t *testing.T) {
		first := newConversation(t, path, schedule.Options{Exact: true})
		require.NoFileExists(t, path)
		first.create(object{"cron": "0 9 * * *", "prompt": "gone with the program"})
		require.NoFileExists(t, path)
		daily := first.create(object{"cron": "0 9 * * *", "prompt": "daily", "durable": true})
		first.create(object{"cron": "0 12 1 * *", "prompt": "missed", "durable": true, "recurring": false})
		first.create(object{"cron": "0 12 5 * *", "prompt": "to come", "durable": true, "recurring": false})
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(data), "gone with the program")
		if info, err := os.Stat(path); err == nil {
			require.Zero(t, info.Mode().Perm()&0o077, "other users read nothing")
		}
		time.Sleep(56 * time.Hour) // no program waits
		c := newConversation(t, path, schedule.Options{Exact: true})
		require.Equal(t, []string{"daily", "to come"}, prompts(c.jobs.Jobs()))
		require.Equal(t, []string{"missed"}, prompts(c.jobs.Missed()))
		fire := c.wait()
		require.Equal(t, daily.ID, fire.Job.ID)
		require.Equal(t, midnight.Add(9*time.Hour), fire.Due, "it was missed twice, and fires once")
		require.NoError(t, fire.Err)
		require.Equal(t, midnight.AddDate(0, 0, 2).Add(9*time.Hour), c.wait().At)
		time.Sleep(5 * 24 * time.Hour)
		c = newConversation(t, path, schedule.Options{Exact: true})
		require.Empty(t, c.jobs.Jobs())
		require.Equal(t, []string{"daily", "to come"}, prompts(c.jobs.Missed()), "the one is too old, and the other did not come")
		c = newConversation(t, path, schedule.Options{Exact: true})
		require.Empty(t, c.jobs.Missed(), "told once")
	})
}

func prompts(jobs []schedule.Job) (all []string) {
	for _, j := range jobs {
		all = append(all, j.Prompt)
	}
	return all
}

// TestTwoProgramsOnOneFile is against the rules, and loses nothing all the same.
func TestTwoProgramsOnOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jobs.json")
	synctest.Test(t, func(t *testing.T) {
		a := newConversation(t, path, schedule.Options{Exact: true})
		b := newConversation(t, path, schedule.Options{Exact: true})
		a.create(object{"cron": "0 9 * * *", "prompt": "of a", "durable": true})
		b.create(object{"cron": "0 9 * * *", "prompt": "of b", "durable": true})
		require.Equal(t, []string{"of a", "of b"}, prompts(b.jobs.Jobs()))
		time.Sleep(9 * time.Hour)
		fires := append(a.jobs.Due(), b.jobs.Due()...)
		fires = append(fires, a.jobs.Due()...)
		require.Len(t, fires, 2)
		require.ElementsMatch(t, []string{"of a", "of b"}, []string{fires[0].Job.Prompt, fires[1].Job.Prompt})
		gone := a.jobs.Jobs()[0]
		require.NoError(t, a.run(a.session, "CronDelete", object{"id": gone.ID}).Err)
		time.Sleep(24 * time.Hour)
		fires = append(b.jobs.Due(), a.jobs.Due()...)
		require.Len(t, fires, 1, "what another program has deleted does not fire")
	})
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	c := newConversation(t, filepath.Join(t.TempDir(), "jobs.json"), schedule.Options{})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			out := c.run(c.session, "CronCreate", object{"cron": "0 9 * * *", "prompt": fmt.Sprint(i), "durable": i%2 == 0})
			if out.Err == nil && i%4 == 0 {
				made, _ := out.Result.Data.(schedule.Created)
				out = c.run(c.session, "CronDelete", object{"id": made.ID})
			}
			c.jobs.Due()
			c.jobs.ClockChanged()
			if out.Err != nil {
				t.Error(out.Err)
			}
		})
	}
	group.Wait()
	require.Len(t, c.jobs.Jobs(), 15)
}

// TestAFileThatCannotBeWritten: a fire is not lost, and its host is told that it may come again.
func TestAFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jobs.json")
	synctest.Test(t, func(t *testing.T) {
		c := newConversation(t, path, schedule.Options{Exact: true})
		c.create(object{"cron": "0 9 * * *", "prompt": "look", "durable": true})
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Mkdir(path, 0o700))
		fire := c.wait()
		require.Equal(t, "look", fire.Job.Prompt)
		require.ErrorIs(t, fire.Err, schedule.ErrFile)
		require.Equal(t, midnight.AddDate(0, 0, 1).Add(9*time.Hour), c.wait().At)
	})
}
