package files

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A diagnosis compares the problems that the host finds in a file before and after a change.
type diagnosis struct {
	file   targetFile
	before []string // the problems before the change
	known  bool     // before is known
}

// The limits of what [WriteOptions].Diagnose may take and tell. They are our choice.
const (
	DefaultDiagnoseTimeout = 10 * time.Second
	MaxDiagnosis           = 4_000 // bytes of problems that the model sees for one file
	maxProblems            = 1_000 // of a file that are remembered
)

// beginDiagnosis finds the problems of a file that is about to be changed, unless they are
// known from the last change.
func (f targetFile) beginDiagnosis(ctx context.Context, exists bool) diagnosis {
	d := diagnosis{file: f}
	switch {
	case f.options.Diagnose == nil:
		return d
	case !exists:
		d.known = true
		return d
	}
	if d.before, d.known = problemsOf(f.call.Session()).of(f.target.Real()); !d.known {
		var err error
		d.before, err = f.diagnose(ctx)
		d.known = err == nil
	}
	return d
}

// errDiagnoseTime ends a diagnosis that takes too long.
var errDiagnoseTime = errors.New("it took too long")

// diagnose returns the problems of the file as it is now.
func (f targetFile) diagnose(ctx context.Context) (found []string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, orDefault(f.options.DiagnoseTimeout, DefaultDiagnoseTimeout), errDiagnoseTime)
	defer cancel()
	err = goroutine.Try(func() (err error) { found, err = f.options.Diagnose(ctx, f.target.Value); return err })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}

// text finds the problems of the changed file. It returns a text about them for the model, ready
// to be appended.
func (d diagnosis) text(ctx context.Context) string {
	if d.file.options.Diagnose == nil {
		return ""
	}
	found, err := d.file.diagnose(ctx)
	problemsOf(d.file.call.Session()).set(d.file.target.Real(), found, err == nil)
	switch {
	case ctx.Err() != nil:
		return "" // the result is not awaited any more
	case err != nil:
		return fmt.Sprintf("\nThe file was changed, but the check of it failed, so nobody knows whether it has problems now: %v.", err)
	case !d.known:
		room := MaxDiagnosis
		return listProblems("Problems in the file", found, &room)
	case len(found) == 0 && len(d.before) > 0:
		return "\nThe problems that the file had before are gone."
	}
	fresh, old := compareProblems(d.before, found)
	room := MaxDiagnosis
	return listProblems("New problems in the file", fresh, &room) + listProblems("Problems that it had before", old, &room)
}

// compareProblems divides the found problems into new and old ones. The same problem in
// another place is the same.
func compareProblems(before, found []string) (fresh, old []string) {
	counts := map[string]int{}
	for _, p := range before {
		counts[withoutPlace(p)]++
	}
	for _, p := range found {
		if key := withoutPlace(p); counts[key] > 0 {
			counts[key]--
			old = append(old, p)
		} else {
			fresh = append(fresh, p)
		}
	}
	return fresh, old
}

var numbers = regexp.MustCompile(`\d+`)

// withoutPlace returns a problem without numbers, which are those of lines and columns.
func withoutPlace(problem string) string {
	return numbers.ReplaceAllLiteralString(strings.TrimSpace(problem), "0")
}

// listProblems returns a title and as many problems as there is room for, and reduces room.
func listProblems(title string, problems []string, room *int) string {
	if len(problems) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + title + ":")
	for i, p := range problems {
		p = strings.TrimSpace(strings.ToValidUTF8(p, "�"))
		if len(p) > *room && i == 0 && *room > 0 {
			p = strings.ToValidUTF8(p[:*room], "") + "…"
		} else if len(p) > *room {
			fmt.Fprintf(&b, "\n… and %d more", len(problems)-i)
			break
		}
		b.WriteString("\n" + p)
		*room -= len(p) + 1
	}
	return b.String()
}

// knownProblems are the problems that a session knows of files since it has changed them.
// The zero value is empty. Its methods may be called concurrently.
type knownProblems struct {
	mu     sync.Mutex
	byPath map[string][]string // by resolved path
}

// problemsOf returns the problems that s knows. A fork starts with a copy of them.
func problemsOf(s *pegboard.Session) *knownProblems {
	return knownProblemsKey.GetOrInit(s, func() *knownProblems { return &knownProblems{} })
}

var knownProblemsKey = pegboard.NewClonedKey("problems in files", (*knownProblems).clone)

func (all *knownProblems) of(real string) (problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	problems, known = all.byPath[real]
	return problems, known
}

// set records the problems of a file. If known is false, it records that they are unknown.
func (all *knownProblems) set(real string, problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byPath == nil {
		all.byPath = map[string][]string{}
	}
	if all.byPath[real] = slices.Clone(problems[:min(len(problems), maxProblems)]); !known {
		delete(all.byPath, real)
	}
}

// clone returns the problems with which a fork starts.
func (all *knownProblems) clone() *knownProblems {
	all.mu.Lock()
	defer all.mu.Unlock()
	return &knownProblems{byPath: maps.Clone(all.byPath)}
}
