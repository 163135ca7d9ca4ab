package hooks

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
)

// post sends the payload to the address of a hook.
func (o *occasion) post(ctx context.Context, h *Handler) output {
	if err := o.runner.allowedURL(h.URL); err != nil {
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(o.payload))
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errNoStart, err)}
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		request.Header.Set(name, o.runner.header(h, value))
	}
	out, err := hostCall(ctx, func() (output, error) { return o.runner.respond(request) })
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	return out
}
