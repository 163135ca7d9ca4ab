package hooks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// replaceOutput gives the model another output of the call: that of the hook that ended last.
func (o *occasion) replaceOutput(h *pegboard.HookCall, replies []*reply) {
	var last *reply
	for _, r := range replies {
		if (r.toolOutput != nil || r.mcpToolOutput != nil) && (last == nil || r.ended > last.ended) {
			last = r
		}
	}
	if last == nil {
		return
	}
	external := h.Tool != nil && h.Tool.Info().Origin.External()
	output := last.toolOutput
	if external && output == nil {
		output = last.mcpToolOutput
	}
	var result *pegboard.Result
	err := errors.New("updatedMCPToolOutput is for tools of servers")
	switch {
	case output == nil:
	case external:
		result, err = externalResult(output), nil
	default:
		result, err = h.ResultOf(output)
	}
	if err != nil {
		o.runner.options.problem(last.handler, fmt.Errorf("the output of %s is left as it is: %w", h.Call.ToolName(), err))
		return
	}
	result.Messages = slices.Concat(h.Outcome.Result.Messages, result.Messages)
	result.StopTurn = result.StopTurn || h.Outcome.Result.StopTurn
	result.UpdateSession, result.Shown = h.Outcome.Result.UpdateSession, h.Outcome.Result.Shown
	h.Outcome.Result = result
}
