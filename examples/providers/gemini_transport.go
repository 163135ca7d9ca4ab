package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// An exchange is one request and its response. The members are sent with the body that
// the SDK has made, byte for byte; the body of the response is unread.
type exchange struct {
	members  []member
	response *http.Response // nil unless the API answered with success
}

type exchangeKey struct{}

// A rawTransport is the transport of a genai client, which has no other way for raw
// bytes: its ExtraBody is encoded again, and its replies are structs only. A request whose
// context holds an exchange is sent with the members of the exchange, and the SDK gets an
// empty reply. The URL, the key, the headers, retries and errors stay the SDK's.
type rawTransport struct{ next http.RoundTripper }

func (t rawTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	x, ok := request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return t.next.RoundTrip(request)
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
	response, err := t.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusOK {
		answer := *response
		x.response, response.Body = &answer, http.NoBody
	}
	return response, err
}

// withExchange returns a context whose request is sent as x.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}
