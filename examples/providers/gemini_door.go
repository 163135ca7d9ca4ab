package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// An exchange is one request and its response. The members go out with the body
// that the SDK has made, byte for byte; response is the body that came, unread.
type exchange struct {
	members  []member
	response io.ReadCloser // nil unless the API answered with success
}

type exchangeKey struct{}

// A door is the transport of a genai client, which has no other way for raw bytes:
// its ExtraBody is encoded anew, and its replies come as structs only. A request
// whose context holds an exchange passes by; the SDK keeps the URL, the key, the
// headers, retries and errors, and is told that the reply was empty.
type door struct{ next http.RoundTripper }

func (d door) RoundTrip(request *http.Request) (*http.Response, error) {
	x, ok := request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return d.next.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	if err != nil {
		return nil, err
	}
	if body, err = splice(body, x.members...); err != nil {
		return nil, err
	}
	request = request.Clone(request.Context()) // a transport leaves its request as it is
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength = int64(len(body))
	response, err := d.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusOK {
		x.response, response.Body = response.Body, http.NoBody
	}
	return response, err
}

// through returns a context whose request passes by the door with x.
func through(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}
