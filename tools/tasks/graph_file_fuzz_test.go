package tasks_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// FuzzFile: content that is accepted is a list, whose content is then the same each time. Any
// other is an error that says which.
func FuzzFile(f *testing.F) {
	for _, seed := range append(badFiles(),
		badFile{content: ``},
		badFile{content: `{"version":1,"next":1,"tasks":[]}`},
		badFile{content: `{"version":1,"next":12,"tasks":[{"id":"2","subject":"a","status":"completed","blockedBy":["11"],"metadata":{"k":[1e400,{}]}},{"id":"11","subject":"b","description":"c","activeForm":"d","status":"in_progress","owner":"e","blockedBy":["2"]}]}`},
	) {
		f.Add([]byte(seed.content))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := tasks.Recode(data)
		if err != nil {
			require.True(t, errors.Is(err, tasks.ErrCorrupt) || errors.Is(err, tasks.ErrNewer), "%v", err)
			return
		}
		second, err := tasks.Recode(first)
		require.NoError(t, err, string(first))
		require.Equal(t, string(first), string(second))
	})
}
