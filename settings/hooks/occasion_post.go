package hooks

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"
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
	patient, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { // time to return what has come of a late answer
		time.AfterFunc(hostPatience, func() { stop(context.Cause(ctx)) })
	})()
	out, err := hostCall(patient, func() (output, error) { return o.runner.respond(request) })
	if err == nil {
		err = out.broken
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		out.failure = fmt.Errorf("%w: %w", errRefused, err)
	}
	return out
}
