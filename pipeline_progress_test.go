package pegboard_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// emitted runs one call of a tool that reports progress, and returns the texts of the
// events with the time of each.
func emitted(t *testing.T, work func(emit func(string))) (texts []string, at []time.Duration) {
	t.Helper()
	begun := time.Now()
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventProgress:
			texts, at = append(texts, e.Text), append(at, time.Since(begun))
		case pegboard.EventFinished:
			texts, at = append(texts, "finished"), append(at, time.Since(begun))
		}
	}})
	tool := teller(pegboard.Info{Name: "T"}, func(c *pegboard.Call) (*pegboard.Result, error) { work(c.Emit); return nil, nil })
	outs := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`))
	require.NoError(t, outs[0].Err)
	return texts, at
}

// TestProgressFloodedTheHost with one event for each line of an output.
func TestProgressFloodedTheHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, _ := emitted(t, func(emit func(string)) {
			for i := range 100_000 {
				emit(fmt.Sprint(i))
			}
		})
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "99999", "finished"}, texts)
	})
}

// TestProgressIsAtMostTenInASecond, also of a call that goes on for long.
func TestProgressIsAtMostTenInASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, at := emitted(t, func(emit func(string)) {
			for i := range 10_000 {
				emit(fmt.Sprint(i))
				time.Sleep(time.Millisecond)
			}
		})
		require.Greater(t, len(texts), 50)
		require.Equal(t, []string{"9999", "finished"}, texts[len(texts)-2:])
		require.InDelta(t, 100, len(texts), 15)
		for i := 11; i < len(at); i++ {
			require.GreaterOrEqual(t, at[i]-at[i-11], time.Second-time.Millisecond)
		}
	})
}

// TestHeldProgressIsShownWhenTheToolSaysNoMore and still runs.
func TestHeldProgressIsShownWhenTheToolSaysNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, at := emitted(t, func(emit func(string)) {
			for i := range 100 {
				emit(fmt.Sprint(i))
			}
			time.Sleep(time.Minute)
			emit("ready")
		})
		require.Len(t, texts, 13)
		require.Equal(t, []string{"99", "ready", "finished"}, texts[10:])
		require.Equal(t, []time.Duration{time.Second, time.Minute, time.Minute}, at[10:])
	})
}

// TestDataComesWithItsText, also the last that was held back.
func TestDataComesWithItsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := map[string]any{}
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventProgress {
				got[e.Text] = e.Data
			} else {
				require.Nil(t, e.Data)
			}
		}})
		tool := teller(pegboard.Info{Name: "T"}, func(c *pegboard.Call) (*pegboard.Result, error) {
			c.Emit("without")
			for i := range 100 {
				c.EmitData(fmt.Sprint(i), i)
			}
			return nil, nil
		})
		ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`))
		require.Equal(t, map[string]any{"without": nil, "0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "99": 99}, got)
	})
}
