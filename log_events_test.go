package pegboard_test

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// LogEvents reads the call of an admitted event on the goroutine that delivers, while
// the call is decoded on another.
func TestLogEventsOfAStreamDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for range effort.Of(t, 200) {
		s := ex.Stream(t.Context(), pool)
		for i := range 10 {
			s.Submit(call(fmt.Sprint(i), "Work", `{"class":"shared"}`))
		}
		s.Finish(pegboard.FinishStop)
		for range s.Wait() {
		}
	}
}
