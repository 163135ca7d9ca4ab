package background

import (
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// StartOf is processStart, for records that tests write.
func StartOf(pid int) (start string, running bool) { return processStart(pid) }

// RecordLate writes a record once more after it was removed.
func RecordLate(path string) error {
	r, store := record{path: path}, atomicfile.Store{}
	as := func(s State) func() recordContent {
		return func() recordContent { return recordContent{Task: Task{State: s}} }
	}
	return errors.Join(r.write(&store, as(Running)), r.remove(), r.write(&store, as(Completed)))
}
