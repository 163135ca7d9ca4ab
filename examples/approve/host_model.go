package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// playModel runs the calls of one turn after the other and prints the results, until
// the script ends or the user stops it.
func (h *host) playModel(ctx context.Context, script []turn, out io.Writer) error {
	for i, m := range script {
		session, err := h.agent(m.agent)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "\n%s: %s\n", strings.TrimSpace("model "+m.agent), m.text); err != nil {
			return err
		}
		calls := make([]pegboard.Call, len(m.calls))
		for k, c := range m.calls {
			c.ID = fmt.Sprintf("call-%d-%d", i+1, k+1)
			calls[k] = c
		}
		stop := false
		for k, o := range h.executor.Run(ctx, h.registry.AssemblePool(session, pegboard.PoolConfig{}), calls...) {
			stop = stop || o.StopTurn
			if _, err := fmt.Fprintf(out, "  %s:\n%s", calls[k].Name, quoteLines("    ", o.Result.Text())); err != nil {
				return err
			}
		}
		if stop || ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
