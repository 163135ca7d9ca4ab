package wire

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Retryable reports whether the same request may succeed if it is sent again, for the error
// of a [Reply]. After is how long the provider asks to wait first; it is 0 if the provider
// does not say, and the host then chooses, longer from one attempt to the next.
//
// It is true for an overloaded provider and for a rate limit, for an error of the server or
// a gateway, for a reply that was cut, and for an empty answer with success. It is false for
// a request that the provider refuses, for credit that is spent, for a body that is no
// reply despite its success, for a context that was canceled or is past its deadline, and for
// all errors that this package does not know. X-Should-Retry decides for the errors of a response that has this header.
//
// Retryable does not consider the texts and the calls of the failed reply: a
// host that runs calls while the reply arrives keeps their results and does not retry.
func Retryable(err error) (after time.Duration, ok bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	var e *APIError
	switch {
	case !errors.As(err, &e):
		return 0, errors.Is(err, ErrTruncated)
	case e.isTemporary():
		return e.RetryAfter, true
	}
	return 0, false
}

// isTemporary reports whether the error may pass without a change of the request.
func (e *APIError) isTemporary() bool {
	const spent = "insufficient_quota" // which OpenAI sends as a rate limit
	switch {
	case e.Code == spent || e.Type == spent:
		return false
	case e.shouldRetry == "true" || e.shouldRetry == "false":
		return e.shouldRetry == "true"
	case e.HTTPStatus >= 300:
		return isTemporary(e.HTTPStatus)
	case e.cause != nil: // the answer is no reply
		return errors.Is(e.cause, ErrTruncated)
	}
	if status, err := strconv.Atoi(e.Code); err == nil { // of some services for Chat Completions
		return isTemporary(status)
	}
	return namesTemporary(e.Type) || namesTemporary(e.Code)
}

func isTemporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// namesTemporary reports whether a type or code names an error that may pass. It decides
// about errors within a reply, which have no status.
func namesTemporary(name string) bool {
	switch name {
	case "overloaded_error", "api_error", "rate_limit_error", "timeout_error", // Anthropic
		"server_error", "rate_limit_exceeded", // OpenAI
		"UNAVAILABLE", "INTERNAL", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "ABORTED": // Gemini
		return true
	}
	return false
}
