package pegboard_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleLogEvents() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "elapsed" {
				return slog.Attr{}
			}
			return a
		},
	}))
	ex := pegboard.Executor{OnEvent: pegboard.LogEvents(logger)}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet), pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"nam":1}`)})
	// Output: level=WARN msg="tool call finished" tool=Greet call=1 failed=true error="decode: invalid input"
}
